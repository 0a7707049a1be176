import type { MessageId } from '../../domain/index.ts';
import { type Step, ThreadDeletedError } from '../ports/index.ts';
import { type Log, RetryTimeoutError, type Time } from '../index.ts';
import { type AnswerState, idsOf } from './answer-state.ts';
import { FirstWords, Pacer, type Pacing } from './pacer.ts';
import { MessageWriter } from './message-writer.ts';
import { reasonOf, type Layout, LayoutChangedError, type Transport } from './transport.ts';

export type AnswerStreamDeps<L extends Layout> = {
  readonly answer: AnswerState;
  readonly transport: Transport<L>;
  readonly pacing: Pacing;
  readonly time: Time;
  readonly log?: Log | undefined;
};

/** Shows an answer while it is being written: one request at a time, paced. */
export class AnswerStream<L extends Layout> {
  readonly #deps: AnswerStreamDeps<L>;
  readonly #answer: AnswerState;
  readonly #halt = new AbortController();
  readonly #first = Promise.withResolvers<MessageId[]>();
  readonly #writer: MessageWriter<L>;
  readonly #pacer: Pacer;
  readonly #firstWords: FirstWords;
  #running: Promise<void> | undefined;
  /** Nothing more is shown before the answer is published. */
  #hasFailed = false;

  constructor(deps: AnswerStreamDeps<L>) {
    this.#deps = deps;
    this.#answer = deps.answer;
    this.#pacer = new Pacer(deps.time, deps.pacing);
    const throttled = (waitMs: number): void => this.#pacer.throttled(waitMs);
    this.#writer = new MessageWriter({ ...deps, throttled, signal: this.#halt.signal });
    this.#firstWords = new FirstWords(deps.time, deps.transport.streams?.isWatched ?? false);
    this.#first.promise.catch(() => undefined);
    if (idsOf(this.#answer).length > 0) this.settle();
  }

  /** Adds sanitized words. The first ones are sent before this returns, if they need not be held. */
  write(words: string): void {
    if (this.#halt.signal.aborted || words === '') return;
    this.#writer.addWords(words);
    this.#work();
    this.#firstWords.wake(this.#holdMs());
  }

  /** Shows a step, or its new state, with the next words, or alone. */
  step(step: Step): void {
    if (this.#halt.signal.aborted || !this.#writer.addStep(step)) return;
    this.#work();
    this.#firstWords.wake(this.#holdMs());
  }

  /** Whether words are being appended to a native stream. */
  get isAppending(): boolean {
    return this.#writer.isAppending;
  }

  /** Resolves with the messages posted so far once there is one. */
  async posted(): Promise<MessageId[]> {
    await this.#first.promise;
    return idsOf(this.#answer);
  }

  /** Tells those who wait for the first message how the attempt to post it has ended. */
  settle(error?: unknown): void {
    if (error === undefined) this.#first.resolve(idsOf(this.#answer));
    else this.#first.reject(error);
  }

  /** Ends the streaming. Resolves with the messages when no request is under way any more. */
  async halt(): Promise<readonly MessageId[]> {
    this.#halt.abort(new Error('the answer is complete'));
    await this.#running;
    const posted = idsOf(this.#answer);
    if (posted.length > 0) this.settle();
    return posted;
  }

  get #hasEnded(): boolean {
    return this.#hasFailed || this.#writer.isStopped;
  }

  #work(): void {
    if (this.#running || this.#hasEnded || !this.#writer.hasWork) return;
    const end = this.#deps.pacing.begin();
    this.#running = this.#run().finally(() => {
      end();
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#halt;
    while (!signal.aborted && !this.#hasEnded && this.#writer.hasWork) {
      const holdMs = this.#holdMs();
      const waitMs = Math.max(this.#pacer.waitMs(this.#writer.isAppending), holdMs);
      if (waitMs <= 0) await this.#send();
      else await this.#firstWords.sleep(waitMs, holdMs, signal);
    }
  }

  /** How long to hold the words that the next stream begins with, in ms. */
  #holdMs(): number {
    const words = this.#writer.wordsOfNextStream;
    return words === undefined ? 0 : this.#firstWords.holdMs(words);
  }

  async #send(): Promise<void> {
    try {
      await this.#sendMessages().catch((error: unknown) => {
        if (!(error instanceof LayoutChangedError)) throw error;
        return this.#sendMessages();
      });
      if (idsOf(this.#answer).length > 0) this.settle();
    } catch (error) {
      this.#failed(error);
    }
    this.#pacer.sent();
  }

  /** Goes on with the current message, then with further ones until a stream is started. */
  async #sendMessages(): Promise<void> {
    const preparing = this.#deps.transport.rules.prepare();
    if (preparing) await preparing;
    do {
      await this.#writer.send(() => this.#firstWords.beginMessage());
    } while (!this.#halt.signal.aborted && this.#writer.continuesInNextMessage && this.#holdMs() <= 0);
  }

  #failed(error: unknown): void {
    this.#hasFailed = true;
    if (this.#halt.signal.aborted) return;
    const { rules } = this.#deps.transport;
    const { cause } = error instanceof RetryTimeoutError ? error : { cause: error };
    const failure = rules.failureOf(cause);
    const isThreadDeleted = error instanceof ThreadDeletedError;
    if (!isThreadDeleted)
      this.#deps.log?.(`${rules.platform}.streaming-failed`, { reason: reasonOf(failure) });
    const isHopeless = failure.kind === 'refused' || isThreadDeleted;
    if (isHopeless && idsOf(this.#answer).length === 0) this.settle(error);
  }
}
