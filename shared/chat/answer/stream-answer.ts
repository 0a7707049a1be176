import { maxAnswerBytes, type TurnOutcome, type MessageId } from '../../domain/index.ts';
import { type Reply, ThreadDeletedError } from '../../platforms/ports/platform.ts';
import {
  type QuestionInput,
  type FittingPrompt,
  prepareQuestion,
  type PreparedQuestion,
  promptFitting,
} from '../prompt/prepare-question.ts';
import { isFirst, type AnswerWork } from '../access/claimed-turn.ts';
import { type CommitOutcome, finishAnswer, rememberPosted, type StoredAnswer } from './finish-answer.ts';
import { AnswerTimeline } from '../display/answer-timeline.ts';
import { runCompletion, type CompletionOutcome } from '../model/run-completion.ts';
import {
  knownSignalsOf,
  yieldTurn,
  moveToLargeWorker,
  waitForMemory,
  waitOnQueue,
} from './return-to-queue.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import type { TaskResult } from '../../context/index.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { MemoryLimitError, MemoryPermit, TooLargeError } from '../model/memory-permit.ts';
import { maxWaitMs } from '../model/wait-for-permit.ts';
import { leaveQueue, waitIdOf } from '../model/queue-place.ts';
import { StatusIndicator } from '../display/status-indicator.ts';
import { CancellationWatcher } from './cancellation-watcher.ts';

export { RECONCILE_AFTER_MS, type AnswerWork } from '../access/claimed-turn.ts';
export type { CommitOutcome, StoredAnswer };

/**
 * Streams an answer and shows it, stores it by `end`, shows the whole. If the question is edited or deleted meanwhile,
 * nothing is stored: the task that deals with that is next in line.
 */
export async function streamAnswer(
  work: AnswerWork,
  asked: QuestionInput,
  end: CommitOutcome,
): Promise<TaskResult> {
  const { turn, claim, lease, context, delivery } = work;
  const speaking = resolveTurnLocale(turn, context);
  const course = new AnswerTimeline(asked.receivedAt, context.time.now());
  const existing = await postedBefore(work);
  const others = () => context.signals.otherAnswers(turn);
  const reply = context.platform.reply(turn, existing, {
    question: asked.question,
    locale: speaking,
    others,
  });
  const memory = rememberPosted(work, reply, existing);
  const thinking = new StatusIndicator(turn, {
    ...context,
    locale: speaking,
    isRedelivery: delivery.isRedelivery,
    onLong: () => reply.enableStopButton(),
  });
  const watch = watchOver(work, asked);
  const signal = AbortSignal.any([lease.signal, watch.changed]);
  const room = roomFor(work, thinking, AbortSignal.any([signal, watch.stopped]));
  try {
    const prepared = await preparedUntil(watch.stopped, work, asked, { locale: speaking, room });
    const prompt = await promptFitting(asked, prepared, context);
    startReply(work, asked, reply);
    const outcome = prepared.nothing
      ? nothingToAnswer(prepared, await speaking)
      : await runCompletion(prompt.messages(), {
          ...generationOf(work, asked, prepared, prompt),
          reply,
          thinking,
          signal,
          stop: AbortSignal.any([watch.stopped, reply.stopped, threadIsGone(reply)]),
          locale: speaking,
          course,
        });
    if (outcome.kind === 'later') {
      thinking.keep();
      return await waitOnQueue(work, reply, outcome);
    }
    if (claim.fence > 1 && !course.isSent) await leaveQueue(turn, context);
    await finishAnswer({ work, asked, prepared, prompt, reply, memory, course, speaking, end }, outcome);
    return { kind: 'done' };
  } catch (error) {
    // Words that are still to be shown would come in the way of whoever shows this turn next.
    if (error instanceof MemoryLimitError) return await waitForMemory(work, reply, thinking);
    if (error instanceof TooLargeError) return await moveToLargeWorker(work, reply, thinking);
    const posted = await reply.stopStreaming();
    if (!watch.changed.aborted) throw error;
    await memory.settle(posted);
    return await yieldTurn(work);
  } finally {
    room.end();
    watch.end();
    await thinking.stop();
  }
}

/** What people do to the question is seen from now on; what they did while it waited, at once. */
function watchOver(work: AnswerWork, { folded }: QuestionInput): CancellationWatcher {
  const { turn, claim, context } = work;
  const noticed = folded.map(({ message }) => message);
  const marked = claim.mark && { signal: claim.mark, key: claim.wish };
  return new CancellationWatcher(turn, { noticed, ...knownSignalsOf(work) }, context, marked);
}

/** What an answer is made with, as far as the question says. */
const generationOf = (
  { turn, claim, lease, delivery, early, context }: AnswerWork,
  asked: QuestionInput,
  prepared: PreparedQuestion,
  prompt: FittingPrompt,
) => ({
  model: asked.model,
  tools: prepared.tools(prompt.kept.length),
  shorter: () => prompt.shorter(),
  by: { id: `${turn.message}.${claim.fence}`, thread: turn.thread, person: turn.asker },
  waitId: waitIdOf(turn),
  opening: prepared.notice,
  prefix: asked.prefix,
  maxBytes: maxAnswerBytes({ ...asked, question: prepared.question }),
  confirm: lease.confirm,
  delivery,
  early,
  context,
});

/** Whoever presses Stop while their question waits, for room or for its turn, does not wait: its files are left out. */
async function preparedUntil(
  stopped: AbortSignal,
  { turn, context }: AnswerWork,
  asked: QuestionInput,
  reading: Parameters<typeof prepareQuestion>[3],
): Promise<PreparedQuestion> {
  const withoutFiles = { ...asked, attachments: [], pictures: [] };
  if (stopped.aborted) return prepareQuestion(turn, withoutFiles, context, reading);
  try {
    return await prepareQuestion(turn, asked, context, reading);
  } catch (error) {
    if (!stopped.aborted) throw error;
    return await prepareQuestion(turn, withoutFiles, context, reading);
  }
}

/** The memory that the files of this question may take; waited for as long as for the right to ask a model. */
const roomFor = (
  { context, delivery }: AnswerWork,
  thinking: StatusIndicator,
  signal: AbortSignal,
): MemoryPermit =>
  new MemoryPermit({
    ...context,
    thinking,
    signal,
    budget: context.memory,
    untilMs: maxWaitMs(delivery, context.time),
  });

/** The messages of earlier attempts at this answer. */
async function postedBefore(work: AnswerWork, { posted } = work.claim): Promise<readonly MessageId[]> {
  return isFirst(work) || posted.length > 0
    ? posted
    : (await findOrphanedMessages(work.turn, work.context)).messages;
}

function startReply({ claim, delivery }: AnswerWork, { prefix }: QuestionInput, reply: Reply): void {
  if (prefix) reply.write(prefix);
  // Who asked has waited for long; and an earlier worker may have left its sign of work standing, which ends with this.
  if (delivery.isRedelivery || (!claim.isFirst && !claim.ended)) reply.enableStopButton();
}

/** A bare mention, or a message with files alone that hold nothing for the model. */
function nothingToAnswer(
  { notice }: PreparedQuestion,
  locale: Locale,
): Extract<CompletionOutcome, { kind: 'ended' }> {
  const ending: TurnOutcome = {
    kind: 'failed',
    reason: 'no-words',
    text: notice || localize(locale, 'answers.greeting'),
  };
  return { kind: 'ended', ending, steps: [] };
}

/** Aborted once nothing can be said in the thread any more: a model need not go on for nobody. */
function threadIsGone(reply: Reply): AbortSignal {
  const over = new AbortController();
  reply.posted().catch((error: unknown) => error instanceof ThreadDeletedError && over.abort(error));
  return over.signal;
}
