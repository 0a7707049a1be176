import { MalformedAnswerError, UpstreamError } from '../errors.ts';
import type { Clock, Timeouts } from '../config.ts';
import { getHeader, getRequestId } from '../http/headers.ts';
import { isObject, parseJson } from '../http/json.ts';
import { type HttpResponse, toBodyError } from '../http/transport.ts';
import type { AttemptTimeouts } from '../http/attempt-timeouts.ts';
import { createSseDecoder, MAX_EVENT_CHARS } from '../sse.ts';
import type { CompletionBuilder } from './completion-builder.ts';
import type { Completion } from '../chat-types.ts';

/** After the end marker, a server has this long to close its response so that the connection can be reused. */
const DRAIN_TIMEOUT_MS = 5_000;
/** The first words are read as they arrive, and so is an answer that comes at once (ms). */
const UNPAUSED_MS = 250;

/**
 * Reads a streamed response into a completion builder as bytes arrive, even while the caller is busy: otherwise a slow
 * caller would look like a silent server. `next()` resolves once per network chunk, not per event.
 */
export class StreamReader {
  readonly #response: HttpResponse;
  readonly #builder: CompletionBuilder;
  readonly #timeouts: AttemptTimeouts;
  readonly #limits: Timeouts;
  readonly #readIntervalMs: number;
  readonly #time: Clock;
  readonly #decoder;
  readonly #jsonChunks: Buffer[] = [];
  #mode: 'unknown' | 'events' | 'json' = 'unknown';
  #eventCount = 0;
  #jsonSize = 0;
  #state: 'open' | 'marked' | 'ended' = 'open';
  #failure: { readonly error: unknown } | undefined;
  #hasNewEvents = false;
  /** The size of the answer at the last event with content; -1 before `finish_reason`. */
  #sizeAfterFinish = -1;
  #wake: (() => void) | undefined;
  #pausedFrom: number | undefined;
  #resume: (() => void) | undefined;

  constructor(
    response: HttpResponse,
    builder: CompletionBuilder,
    timeouts: AttemptTimeouts,
    options: {
      readonly limits: Timeouts;
      /** See `UpstreamConfig`. */
      readonly readIntervalMs: number;
      readonly time: Clock;
    },
  ) {
    this.#response = response;
    this.#builder = builder;
    this.#timeouts = timeouts;
    this.#limits = options.limits;
    this.#readIntervalMs = options.readIntervalMs;
    this.#time = options.time;
    this.#decoder = createSseDecoder((data, name) => this.#onEvent(data, name));
    response.body.on('data', (chunk: Buffer) => this.#runStep(() => this.#onData(chunk)));
    response.body.on('end', () => this.#runStep(() => this.#end()));
    response.body.on('error', (error: unknown) => this.#runStep(() => this.#onBodyError(error)));
  }

  /** Whether an event of the answer has arrived. Before that, the request may be retried. */
  get hasEvents(): boolean {
    return this.#eventCount > 0;
  }

  /**
   * Resolves with 'data' when new content has arrived, or 'end' when the answer is complete. Rejects when the answer
   * failed, after all content before the failure has been delivered.
   */
  async next(): Promise<'data' | 'end'> {
    while (!this.#hasNewEvents && this.#state === 'open' && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#hasNewEvents) {
      this.#hasNewEvents = false;
      return 'data';
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#builder.endText(this.#state === 'marked');
    return 'end';
  }

  /** Returns the completion after `next()` gave 'end'. Throws when the answer is incomplete. */
  completion(): Completion {
    return this.#builder.build(this.#state === 'marked', this.#mode !== 'json');
  }

  /** Releases the connection: at once when the answer is incomplete, else when the server closes the response. */
  close(): void {
    this.#resume?.();
    const { body } = this.#response;
    if (body.readableEnded || body.destroyed) return;
    if (this.#state === 'open') {
      body.destroy();
      return;
    }
    const closed = new AbortController();
    body.once('close', () => closed.abort());
    this.#time.sleep(DRAIN_TIMEOUT_MS, closed.signal).then(
      () => body.destroy(),
      () => undefined,
    );
  }

  #runStep(step: () => void): void {
    if (this.#state !== 'open' || this.#failure !== undefined) return;
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
    this.#wake?.();
    this.#wake = undefined;
  }

  #onData(chunk: Buffer): void {
    if (this.#mode === 'unknown') this.#mode = this.#detectMode(chunk);
    if (this.#mode === 'json') {
      this.#jsonSize += chunk.length;
      this.#jsonChunks.push(chunk);
      if (this.#jsonSize > MAX_EVENT_CHARS) throw this.#createNoStreamError();
      return;
    }
    const before = this.#eventCount;
    try {
      this.#decoder.feed(chunk);
    } finally {
      this.#recordProgress(before);
    }
    if (this.#builder.hasContent) this.#pauseReading();
  }

  /** Lets the next parts arrive for a while before they are read. */
  #pauseReading(): void {
    if (this.#readIntervalMs === 0 || this.#resume || this.#state !== 'open') return;
    this.#pausedFrom ??= this.#time.now() + UNPAUSED_MS;
    if (this.#time.now() < this.#pausedFrom) return;
    const resume = this.#response.pause();
    if (!resume) return;
    this.#resume = resume;
    const end = (): void => {
      // Delivers the part that is already in the process. The next read, of all that waits in the system's buffer, is not paused.
      resume();
      this.#resume = undefined;
    };
    this.#time.sleep(this.#readIntervalMs, this.#timeouts.signal).then(end, end);
  }

  /** Some servers ignore `stream: true` and send one JSON body. */
  #detectMode(chunk: Buffer): 'unknown' | 'events' | 'json' {
    const firstChar = /[^\s\uFEFF]/u.exec(chunk.toString('utf8', 0, 64))?.[0];
    if (firstChar === '<') throw this.#createNoStreamError();
    if (firstChar === undefined)
      return getHeader(this.#response.headers, 'content-type')?.includes('json') === true
        ? 'json'
        : 'unknown';
    return firstChar === '{' || firstChar === '[' ? 'json' : 'events';
  }

  #onEvent(data: string, name: string | undefined): void {
    if (this.#state !== 'open') return;
    if (data.trim() === '[DONE]') {
      this.#state = 'marked';
      return;
    }
    this.#builder.addEvent(data, name);
    this.#eventCount += 1;
  }

  #recordProgress(before: number): void {
    if (this.#eventCount === before) return;
    this.#hasNewEvents = true;
    if (this.#state !== 'open') return;
    const { finishReason, size, hasContent, hasAnswer } = this.#builder;
    if (hasContent) this.#timeouts.cancel('first_token');
    if (finishReason === undefined) {
      const { idle, firstToken } = this.#limits;
      if (hasContent) this.#timeouts.start('idle', hasAnswer ? idle : Math.max(idle, firstToken));
      return;
    }
    // Only content restarts the time: a further version of the answer may still be on its way. Empty events may have no end.
    if (size <= this.#sizeAfterFinish) return;
    this.#sizeAfterFinish = size;
    this.#timeouts.start('idle', this.#limits.afterFinish);
  }

  #end(): void {
    const before = this.#eventCount;
    if (this.#mode === 'json') this.#endJson();
    else this.#endEvents();
    this.#recordProgress(before);
    if (this.#state === 'open') this.#state = 'ended';
  }

  /** The last event may lack its blank line or be incomplete. An incomplete stream is reported by `completion()`. */
  #endEvents(): void {
    try {
      this.#decoder.end();
    } catch (error) {
      if (!(error instanceof MalformedAnswerError)) throw error;
    }
    if (this.#mode === 'events' && this.#eventCount === 0 && this.#hasOtherContentType())
      throw this.#createNoStreamError();
  }

  /** Whether the response says that it is text or JSON. Without an event it is then no stream that was interrupted. */
  #hasOtherContentType(): boolean {
    return /^(?:text\/(?:plain|html)|application\/json)/iu.test(
      getHeader(this.#response.headers, 'content-type') ?? '',
    );
  }

  #endJson(): void {
    const value = parseJson(Buffer.concat(this.#jsonChunks).toString('utf8'));
    if (!isObject(value)) throw this.#createNoStreamError();
    this.#builder.addBody(value);
    this.#eventCount += 1;
    this.#state = 'marked';
  }

  #createNoStreamError(): MalformedAnswerError {
    const facts = { code: 'not_a_stream', requestId: getRequestId(this.#response.headers) };
    return new MalformedAnswerError('The upstream sent a response that is not a stream.', facts);
  }

  #onBodyError(error: unknown): void {
    // After the finish reason only the usage can be missing: the answer itself is complete and is kept.
    const { signal } = this.#timeouts;
    const wasAbortedByCaller = signal.aborted && !(signal.reason instanceof UpstreamError);
    if (this.#builder.finishReason !== undefined && !wasAbortedByCaller) {
      this.#state = 'ended';
      return;
    }
    this.#fail(toBodyError(error, this.#timeouts.signal, getRequestId(this.#response.headers)));
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#response.body.destroy();
  }
}
