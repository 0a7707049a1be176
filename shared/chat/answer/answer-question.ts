import type { ChatContext } from '../context.ts';
import { modelRefusal } from '../model/model-refusal.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import type { QueueDelivery, TaskResult } from '../../context/index.ts';
import {
  type AskTask,
  type TurnOutcome,
  isPicture,
  type Turn,
  taskTurnRef,
  type TurnRef,
} from '../../domain/index.ts';
import type { ThreadHistory, PendingQuestion } from '../../storage/index.ts';
import { withClaim, type HeldClaim } from '../access/with-claim.ts';
import { PrefetchedPermit } from '../model/prefetched-permit.ts';
import { questionWithMerged, mergeQuestions } from './merged-questions.ts';
import { deleteFollowUps } from './delete-bot-messages.ts';
import { canMerge } from './can-merge.ts';
import { contextPrompt, withoutErasedLines } from '../prompt/context-messages.ts';
import { RECONCILE_AFTER_MS, streamAnswer, type AnswerWork } from './stream-answer.ts';
import { publishStoredAnswer } from './publish-stored-answer.ts';
import { permitHolder } from '../model/wait-for-permit.ts';
import { isStillQueued } from '../model/queue-place.ts';
import { deleteAnswer } from './delete-answer.ts';

const DONE: TaskResult = { kind: 'done' };

/**
 * Answers one question, and those that have come in behind it: claim, read the past, stream the completion and show it,
 * end the turn in one write, show the whole. It may be broken off after any step and delivered again: what has been done
 * is found and not done twice, and once the turn has ended the stored answer is only shown again.
 *
 * Rejects when the table or the platform cannot be used; the queue then delivers the task again.
 */
export async function answerQuestion(
  task: AskTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const waits = await isStillQueued(taskTurnRef(task), context, delivery);
  if (waits) return waits;
  // Taken while the turn is claimed: the right to ask the model, which is given back if it comes to nothing. What was tried before, or has files
  // to be fetched first, takes it when it is needed.
  const soon = !delivery.isRedelivery && task.attachments.length === 0 && task.question.trim() !== '';
  const early = soon ? new PrefetchedPermit(permitHolder(task.thread, task.asker), context) : undefined;
  try {
    return await answerWith(early, task, context, delivery);
  } finally {
    await early?.end();
  }
}

function answerWith(
  early: PrefetchedPermit | undefined,
  task: AskTask,
  context: ChatContext,
  delivery: QueueDelivery,
): Promise<TaskResult> {
  const turn = taskTurnRef(task);
  // Read while the claim is on its way: the turn before it has ended, since both wait in one line.
  const begins = turn.message === turn.thread.root && !delivery.isRedelivery && !task.late;
  const reading = context.turns.history(turn, begins);
  reading.catch(() => undefined);
  return withClaim(turn, { context, again: delivery.isRedelivery }, async (claim, lease) => {
    if (claim.ended) return republish(turn, claim.ended, claim, context);
    if (claim.unreadable) return skipTurn(turn, claim, context);
    // Folded into another turn; or changed, and the task that deals with the change is behind this one.
    if (claim.into || claim.mark === 'edited' || claim.mark === 'deleted')
      return release(turn, claim, context);
    const past = await reading;
    if (await mergeQuestions(turn, past, context)) return DONE;
    // Taken in while the message was deleted that the thread hangs on, or it itself.
    const gone = past.closed || (task.late && (await context.platform.isDeleted(turn)));
    if (gone) return deleteAnswer(turn, claim, context);
    return answerNew(task, past, { turn, claim, lease, context, delivery, early });
  });
}

/** The turn has ended in an earlier attempt that did not get as far as showing the whole of it, or as saying so. */
async function republish(
  turn: TurnRef,
  ended: Turn,
  claim: HeldClaim,
  context: ChatContext,
): Promise<TaskResult> {
  await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  await publishStoredAnswer(turn, ended, claim.posted, context);
  // What changes the answer next does not wait until the claim expires.
  return release(turn, claim, context);
}

/** It was answered, and how can no longer be read: asked again, the model would answer it a second time. */
async function skipTurn(turn: TurnRef, claim: HeldClaim, context: ChatContext): Promise<TaskResult> {
  context.log('turn.unreadable', { message: turn.message });
  return release(turn, claim, context);
}

async function release(turn: TurnRef, { fence }: HeldClaim, context: ChatContext): Promise<TaskResult> {
  await context.turns.renew(turn, fence, 0);
  return DONE;
}

async function answerNew(task: AskTask, past: ThreadHistory, work: AnswerWork): Promise<TaskResult> {
  const { turn, claim, context } = work;
  const refusal =
    task.model === undefined
      ? undefined
      : await modelRefusal(task.model, await resolveTurnLocale(turn, context), context);
  // A model that is not asked here is no answer to what others ask.
  // Nor is the end of a question that its person has stopped.
  const isAsked = refusal === undefined && claim.mark !== 'stopped';
  const folded = isAsked ? await canMerge(mergeableQuestions(past), turn, context) : [];
  await Promise.all(folded.map((one) => context.platform.acknowledge(one.turn)));
  const { unread, ...before } = await contextPrompt(turn, past, context);
  // Below the last answer: another question is asked by now.
  const cleared = deleteFollowUps(turn.thread, past.turns.at(-1)?.followUps, context);
  const asked = {
    question: task.question,
    folded: folded.map((one) => ({
      message: one.turn.message,
      question: questionWithMerged(turn.asker, one.turn.asker, one.question),
    })),
    ...before,
    unread,
    attachments: task.attachments,
    pictures: [],
    past,
    model: task.model,
    refusal,
    receivedAt: task.receivedAt,
  };
  const verdict = await streamAnswer(work, asked, async (ending, { question, place, lookAt, bare }) => {
    const pictures = task.attachments.filter(isPicture);
    const answered = isRefused(ending) ? folded.filter((one) => one.turn.asker === turn.asker) : folded;
    const messages = new Set(answered.map((one) => one.turn.message));
    const whole = {
      folded: asked.folded.filter(({ message }) => messages.has(message)),
      pictures,
      ...before,
      contextLines: await withoutErasedLines(before.contextLines, turn.thread, context),
    };
    const said = { message: turn.message, question, ...(bare ? {} : whole), ending };
    await context.turns.commit(turn, claim.fence, said, place, lookAt);
    // Not vital: a folded question whose record does not say so finds itself in this turn when its task comes.
    await Promise.all(
      answered.map((one) => context.signals.markMerged(one.turn, turn.message).catch(() => undefined)),
    );
    return ending;
  });
  await cleared;
  return verdict;
}

/** The refusal is about whoever asked, and no answer for what others asked: their own tasks are behind this one. */
const isRefused = (ending: TurnOutcome): boolean =>
  ending.kind === 'failed' && ending.reason === 'over-budget';

/** What waits is answered along, up to the first with files: those are answered one by one. */
function mergeableQuestions({ waiting: pending, turns }: ThreadHistory): readonly PendingQuestion[] {
  // Their own records may not say yet that an earlier turn has answered them.
  const answered = new Set(turns.flatMap(({ folded = [] }) => folded.map(({ message }) => message)));
  const waiting = pending.filter(({ turn }) => !answered.has(turn.message));
  const first = waiting.findIndex(({ attachments }) => attachments.length > 0);
  return first < 0 ? waiting : waiting.slice(0, first);
}
