import { MalformedAnswerError, UpstreamError } from '../errors.ts';
import type { Timeouts } from '../config.ts';
import { headerOf, requestIdOf } from '../http/headers.ts';
import { isObject, parseJson } from '../http/json.ts';
import { type Answer, brokenOff } from '../http/transport.ts';
import type { Watch } from '../http/watch.ts';
import { createSseDecoder, MAX_EVENT_CHARS } from '../sse.ts';
import type { Draft } from './draft.ts';
import type { Completion } from './types.ts';

/** After the end mark a server has this long to close its answer, so that the connection can be used again. */
const DRAIN_MS = 5_000;

/**
 * Reads a streamed answer into a draft as the bytes come, whether or not anybody waits for them: a slow reader must not
 * look like a silent server. `turn()` resolves once per piece of network, not per event.
 */
export class AnswerReader {
  readonly #answer: Answer;
  readonly #draft: Draft;
  readonly #watch: Watch;
  readonly #limits: Timeouts;
  readonly #drain: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #decoder;
  readonly #json: Buffer[] = [];
  #mode: 'unknown' | 'events' | 'json' = 'unknown';
  #events = 0;
  #jsonSize = 0;
  #over: 'no' | 'marked' | 'ended' = 'no';
  #failure: { readonly error: unknown } | undefined;
  #news = false;
  #wake: (() => void) | undefined;

  constructor(
    answer: Answer,
    draft: Draft,
    watch: Watch,
    options: {
      readonly limits: Timeouts;
      readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
    },
  ) {
    this.#answer = answer;
    this.#draft = draft;
    this.#watch = watch;
    this.#limits = options.limits;
    this.#drain = options.sleep;
    this.#decoder = createSseDecoder((data, name) => this.#event(data, name));
    watch.limit('idle', options.limits.idle);
    answer.body.on('data', (chunk: Buffer) => this.#guard(() => this.#chunk(chunk)));
    answer.body.on('end', () => this.#guard(() => this.#end()));
    answer.body.on('error', (error: unknown) => this.#guard(() => this.#broken(error)));
  }

  /** Whether an event of the answer has come; before that, the request may be made again. */
  get begun(): boolean {
    return this.#events > 0;
  }

  /**
   * Resolves when something has come or the answer is over, and says which. Rejects when the answer failed, but only
   * after all that came before the failure has been handed out.
   */
  async turn(): Promise<'more' | 'over'> {
    while (!this.#news && this.#over === 'no' && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#news) {
      this.#news = false;
      return 'more';
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return 'over';
  }

  /** The whole answer, once the turn is over. Throws when it is not whole. */
  completion(): Completion {
    return this.#draft.end(this.#over === 'marked', this.#mode !== 'json');
  }

  /** Lets go of the connection: at once when the answer is not over, else as soon as the server has closed it. */
  close(): void {
    const { body } = this.#answer;
    if (body.readableEnded || body.destroyed) return;
    if (this.#over === 'no') {
      body.destroy();
      return;
    }
    const closed = new AbortController();
    body.once('close', () => closed.abort());
    this.#drain(DRAIN_MS, closed.signal).then(
      () => body.destroy(),
      () => undefined,
    );
  }

  #guard(step: () => void): void {
    if (this.#over !== 'no' || this.#failure !== undefined) return;
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
    this.#wake?.();
    this.#wake = undefined;
  }

  #chunk(chunk: Buffer): void {
    if (this.#mode === 'unknown') this.#mode = this.#modeFor(chunk);
    if (this.#mode === 'json') {
      this.#jsonSize += chunk.length;
      this.#json.push(chunk);
      if (this.#jsonSize > MAX_EVENT_CHARS) throw this.#noStream();
      return;
    }
    const before = this.#events;
    try {
      this.#decoder.feed(chunk);
    } finally {
      this.#progress(before);
    }
  }

  /** Some servers ignore `stream: true` and answer with one JSON body. */
  #modeFor(chunk: Buffer): 'unknown' | 'events' | 'json' {
    const start = /[^\s\uFEFF]/u.exec(chunk.toString('utf8', 0, 64))?.[0];
    if (start === '<') throw this.#noStream();
    if (start === undefined)
      return headerOf(this.#answer.headers, 'content-type')?.includes('json') === true ? 'json' : 'unknown';
    return start === '{' || start === '[' ? 'json' : 'events';
  }

  #event(data: string, name: string | undefined): void {
    if (this.#over !== 'no') return;
    if (data.trim() === '[DONE]') {
      this.#over = 'marked';
      return;
    }
    this.#draft.addEvent(data, name);
    this.#events += 1;
  }

  #progress(before: number): void {
    if (this.#events === before) return;
    this.#news = true;
    if (this.#over !== 'no') return;
    if (this.#draft.begun) this.#watch.lift('first_token');
    this.#watch.limit(
      'idle',
      this.#draft.finish === undefined ? this.#limits.idle : this.#limits.afterFinish,
    );
  }

  #end(): void {
    const before = this.#events;
    if (this.#mode === 'json') this.#whole();
    else this.#tail();
    this.#progress(before);
    if (this.#over === 'no') this.#over = 'ended';
  }

  /** The last event may lack its blank line, or be half an event: then the stream was cut, which is said elsewhere. */
  #tail(): void {
    try {
      this.#decoder.end();
    } catch (error) {
      if (!(error instanceof MalformedAnswerError)) throw error;
    }
  }

  #whole(): void {
    const value = parseJson(Buffer.concat(this.#json).toString('utf8'));
    if (!isObject(value)) throw this.#noStream();
    this.#draft.add(value);
    this.#events += 1;
    this.#over = 'marked';
  }

  #noStream(): MalformedAnswerError {
    const facts = { code: 'not_a_stream', requestId: requestIdOf(this.#answer.headers) };
    return new MalformedAnswerError('The upstream answered with something that is no stream.', facts);
  }

  #broken(error: unknown): void {
    // Once the model has finished only the usage can be missing: a whole answer is not thrown away for that.
    const { signal } = this.#watch;
    const byCaller = signal.aborted && !(signal.reason instanceof UpstreamError);
    if (this.#draft.finish !== undefined && !byCaller) {
      this.#over = 'ended';
      return;
    }
    this.#fail(brokenOff(error, this.#watch.signal, requestIdOf(this.#answer.headers)));
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#answer.body.destroy();
  }
}
