import {
  type FailureNoticeTask,
  type TurnOutcome,
  getTaskTurnRef,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { type HeldClaim, withClaim, RECONCILE_AFTER_MS, releaseClaim } from '../access/with-claim.ts';
import { findAnsweringTurn, republish } from './answer-question.ts';
import { isNewSignal } from './cancellation-watcher.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import { localize } from '../../i18n/index.ts';
import { formatNotice } from '../display/notices.ts';
import { publishStoredAnswer, toUnreadFiles } from './finish-answer.ts';
import { recordFailedQuestion } from '../display/answer-metrics.ts';
import { deleteAnswer } from './delete-answer.ts';
import { isFromBeforeErasure } from '../access/is-from-before-erasure.ts';

export type FailureNoticeContext = Parameters<typeof deleteAnswer>[2] &
  Parameters<typeof publishStoredAnswer>[3] &
  Parameters<typeof isFromBeforeErasure>[1] &
  Parameters<typeof recordFailedQuestion>[2];

/**
 * Handles a question, or an edit of one, that the queue gave up: posts one failure notice and keeps the question in the history. A stored answer
 * is published instead; a turn that another task handles is left alone.
 */
export function postFailureNotice(
  task: FailureNoticeTask,
  context: FailureNoticeContext,
  delivery: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<TaskResult> {
  const turn = getTaskTurnRef(task);
  return withClaim(turn, { context, isRedelivery: delivery.isRedelivery }, async (claim) => {
    if (claim.ended) return republish(turn, claim.ended, claim, context);
    const isHandledElsewhere = claim.mergedInto !== undefined || isChangedSince(task, claim);
    // The next task of the turn need not wait until the claim expires.
    if (isHandledElsewhere || claim.unreadable) return releaseClaim(turn, claim, context);
    const removal = task.late === true && (await isGoneSince(task, context));
    if (removal === 'erased') {
      await context.turns.remove(turn, claim.fence);
      return { kind: 'done' };
    }
    if (removal === 'deleted') return deleteAnswer(turn, claim, context);
    const { question, edit } = task;
    const text = formatNotice(localize(await resolveTurnLocale(turn, context), 'answers.gave-up'));
    const outcome: TurnOutcome = { kind: 'failed', reason: 'gave-up', text };
    const past = await context.turns.history(turn);
    if (await findAnsweringTurn(turn, past, context)) return releaseClaim(turn, claim, context);
    if (past.isClosed) return deleteAnswer(turn, claim, context);
    const files = (task.mayHaveFiles && (await context.platform.listFiles(turn))) || task.attachments;
    const pictures = toUnreadFiles(files ?? []);
    const stored = { message: turn.message, question, edit, pictures, outcome };
    const position = { from: past.from, number: past.number };
    await context.turns.commit(turn, claim.fence, stored, position, context.time.now() + RECONCILE_AFTER_MS);
    await recordFailedQuestion(turn, outcome, context);
    await publishStoredAnswer(turn, { question, outcome }, claim.posted, context);
    return { kind: 'done' };
  });
}

/** Whether the question was deleted, or edited later than the edit that was given up: the task of that change is queued. */
const isChangedSince = ({ edit }: FailureNoticeTask, { signal, signalKey }: HeldClaim): boolean =>
  isNewSignal(signal && { signal, key: signalKey }, {
    includedEdit: edit,
    previousKey: undefined,
    ignoredSignals: ['stopped'],
  });

/**
 * Whether a question that was recorded late was erased or deleted before: its own task, which was given up, would have dropped
 * it. A notice too many is better than none, so a question of which the platform tells nothing counts as there.
 */
async function isGoneSince(
  task: FailureNoticeTask,
  context: FailureNoticeContext,
): Promise<'erased' | 'deleted' | false> {
  if (await isFromBeforeErasure(task, context)) return 'erased';
  return (await context.platform.isDeleted(getTaskTurnRef(task)).catch(() => false)) && 'deleted';
}
