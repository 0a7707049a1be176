import type { MessageId } from '../../domain/index.ts';
import { type Step, ThreadDeletedError, type AnswerActions, type Reply } from '../ports/index.ts';
import type { Log, Time } from '../../runtime/index.ts';
import { getFailureReason, RetryTimeoutError } from '../index.ts';
import { type AnswerState, listMessageIds, findStreamedStep, mergeLastSteps } from './answer-state.ts';
import { FirstWords, Pacer, type Pacing } from './pacer.ts';
import { MessageWriter } from './message-writer.ts';
import {
  type Layout,
  LayoutChangedError,
  type Transport,
  type AnswerContent,
  type TransportRules,
} from './transport.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { SerialQueue } from '../../utils/index.ts';
import { createSanitizer, sanitize } from '../markdown/index.ts';
import { publishAnswer, type Publishing } from './publish.ts';

export type AnswerStreamDeps<L extends Layout> = {
  readonly answer: AnswerState;
  readonly transport: Transport<L>;
  readonly pacing: Pacing;
  readonly time: Time;
  readonly log?: Log | undefined;
};

/** Shows an answer while it is being written: one request at a time, paced. */
class AnswerStream<L extends Layout> {
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
    const postpone = (waitMs: number): void => this.#pacer.postpone(waitMs);
    this.#writer = new MessageWriter({ ...deps, postpone, signal: this.#halt.signal });
    this.#firstWords = new FirstWords(deps.time, deps.transport.streams?.isWatched ?? false);
    this.#first.promise.catch(() => undefined);
    if (listMessageIds(this.#answer).length > 0) this.settle();
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
    return listMessageIds(this.#answer);
  }

  /** Tells those who wait for the first message how the attempt to post it has ended. */
  settle(error?: unknown): void {
    if (error === undefined) this.#first.resolve(listMessageIds(this.#answer));
    else this.#first.reject(error);
  }

  /** Ends the streaming. Resolves with the messages when no request is under way any more. */
  async halt(): Promise<readonly MessageId[]> {
    this.#halt.abort(new Error('the answer is complete'));
    await this.#running;
    const posted = listMessageIds(this.#answer);
    if (posted.length > 0) this.settle();
    return posted;
  }

  get #hasEnded(): boolean {
    return this.#hasFailed || this.#writer.isStopped;
  }

  #work(): void {
    if (this.#running || this.#hasEnded || !this.#writer.hasWork) return;
    const end = this.#deps.pacing.countAnswer();
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
      if (listMessageIds(this.#answer).length > 0) this.settle();
    } catch (error) {
      this.#failed(error);
    }
    this.#pacer.recordRequest();
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
    const failure = rules.classifyError(cause);
    const isThreadDeleted = error instanceof ThreadDeletedError;
    if (!isThreadDeleted)
      this.#deps.log?.(`${rules.platform}.streaming-failed`, { reason: getFailureReason(failure) });
    const isHopeless = failure.kind === 'refused' || isThreadDeleted;
    if (isHopeless && listMessageIds(this.#answer).length === 0) this.settle(error);
  }
}

/** After this time, requests of `publish` are not repeated. */
const PUBLISH_TIMEOUT_MS = 60_000;

export type LiveReplyDeps<L extends Layout> = AnswerStreamDeps<L> & {
  /** Locale of the bot's own text; English if undefined. */
  readonly locale: Promise<Locale> | undefined;
};

/** What a platform does around the publishing of an answer, in this order. */
export type PublishHooks<L extends Layout> = {
  /** Called while the stream is halted: ends what the platform shows beside it. */
  onHalt?(): Promise<void>;
  /** Called when the stream is halted, before the first request. */
  onPublish?(): void;
  /** Called if the answer could not be published. Rejects with `error` unless the platform has shown it, or reported it, otherwise. */
  onFailure(error: unknown, content: AnswerContent, publishing: Publishing<L>): Promise<void>;
  /** Called when the messages show the answer, or `onFailure` has resolved. */
  onPublished?(): Promise<void>;
};

/** The part of a reply that is the same on all platforms. */
export type LiveReply<L extends Layout> = Pick<Reply, 'write' | 'step' | 'publish'> & {
  readonly stream: AnswerStream<L>;
};

/** An answer that is streamed, then published. */
export function createLiveReply<L extends Layout>(
  deps: LiveReplyDeps<L>,
  hooks: PublishHooks<L>,
): LiveReply<L> {
  const { answer, transport, time, log } = deps;
  const stream = new AnswerStream(deps);
  const sanitizer = createSanitizer();
  const queue = new SerialQueue();

  const publish = async (words: string, actions?: AnswerActions): Promise<MessageId[]> => {
    await Promise.all([stream.halt(), hooks.onHalt?.()]);
    hooks.onPublish?.();
    const retry = { time, deadline: time.now() + PUBLISH_TIMEOUT_MS };
    const locale = (await deps.locale) ?? 'en';
    await transport.rules.prepare();
    const text = sanitize(words).trimEnd() || `_${localize(locale, 'answers.empty')}_`;
    const steps = fittedSteps(answer, actions?.steps, transport.rules);
    const content = { text, steps, isGrowing: false, actions };
    const publishing = { answer, transport, retry, log };
    try {
      await publishAnswer(content, publishing);
    } catch (error) {
      try {
        await hooks.onFailure(error, content, publishing);
      } catch (failure) {
        stream.settle(failure);
        throw failure;
      }
    }
    stream.settle();
    await hooks.onPublished?.();
    return listMessageIds(answer);
  };
  return {
    stream,
    write: (words) => stream.write(sanitizer.feed(words)),
    step: (step) => stream.step(step),
    publish: (words, actions) => queue.run(() => publish(words, actions)),
  };
}

/** The last states of all steps, as far as the platform has room for them. */
function fittedSteps<L extends Layout>(
  answer: AnswerState,
  last: readonly Step[] | undefined,
  rules: Pick<TransportRules<L>, 'fitStep'>,
): Step[] {
  const all = new Map(answer.steps);
  return mergeLastSteps(answer.steps.values(), last).map((step) => {
    const fitted = rules.fitStep(step, all.values(), findStreamedStep(answer, step.id));
    all.set(step.id, fitted);
    return fitted;
  });
}
