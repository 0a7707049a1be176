import type { MessageId } from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { SerialQueue } from '../../utils/index.ts';
import { createSanitizer, lastSteps, sanitize } from '../markdown/index.ts';
import type { AnswerActions, Reply, Step } from '../ports/index.ts';
import { type AnswerState, idsOf, streamedStep } from './answer-state.ts';
import { publishAnswer, type Publishing } from './publish.ts';
import { AnswerStream, type AnswerStreamDeps } from './stream.ts';
import type { AnswerContent, Layout, TransportRules } from './transport.ts';

const PUBLISH_TIMEOUT_MS = 60_000;

export type LiveReplyDeps<L extends Layout> = AnswerStreamDeps<L> & {
  /** Locale of the bot's own text; English if undefined. */
  readonly locale: Promise<Locale> | undefined;
  /** Default: 60 s. */
  readonly publishTimeoutMs?: number | undefined;
};

/** What a platform does around the publishing of an answer. */
export type PublishHooks<L extends Layout> = {
  /** Ends what the platform shows beside the stream, while the stream is halted. */
  halting?(): Promise<void>;
  /** The stream is halted. */
  publishing?(): void;
  /** The answer could not be published. Rejects with `error` unless the platform has shown it, or reported it, otherwise. */
  failed(error: unknown, content: AnswerContent, publishing: Publishing<L>): Promise<void>;
  published?(): Promise<void>;
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
  const { answer, transport, time, log, publishTimeoutMs = PUBLISH_TIMEOUT_MS } = deps;
  const stream = new AnswerStream(deps);
  const sanitizer = createSanitizer();
  const queue = new SerialQueue();

  const publish = async (words: string, actions?: AnswerActions): Promise<MessageId[]> => {
    await Promise.all([stream.halt(), hooks.halting?.()]);
    hooks.publishing?.();
    const retry = { time, deadline: time.now() + publishTimeoutMs };
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
        await hooks.failed(error, content, publishing);
      } catch (failure) {
        stream.settle(failure);
        throw failure;
      }
    }
    stream.settle();
    await hooks.published?.();
    return idsOf(answer);
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
  return lastSteps(answer.steps.values(), last).map((step) => {
    const fitted = rules.fitStep(step, all.values(), streamedStep(answer, step.id));
    all.set(step.id, fitted);
    return fitted;
  });
}
