import type { RegenerateTask, TaskResult, Turn, TurnOutcome } from '../../domain/index.ts';
import type { ThreadHistory } from '../../storage/index.ts';
import { RECONCILE_AFTER_MS, type AnswerWork } from '../access/with-claim.ts';
import { publishStoredAnswer } from './finish-answer.ts';

/** Returns the outcome with the chosen version as its text. Undefined if none is chosen, or it is not stored. */
export function withVersion(
  { change }: Pick<RegenerateTask, 'change'>,
  { outcome }: Pick<Turn, 'outcome'>,
): TurnOutcome | undefined {
  if (change.kind !== 'version' || change.choice === undefined || outcome.kind !== 'answered')
    return undefined;
  const version = Number(change.choice);
  const text = outcome.versions?.[version - 1];
  return text === undefined ? undefined : { ...outcome, text, closing: undefined, version };
}

/** Whether a version is chosen that is not stored. */
export const lacksVersion = (
  { change }: Pick<RegenerateTask, 'change'>,
  turn: Pick<Turn, 'outcome'>,
): boolean =>
  change.kind === 'version' && change.choice !== undefined && withVersion({ change }, turn) === undefined;

/** Stores the chosen version as the answer of the turn, and shows it. Sends no request to the model. */
export async function showVersion(
  turn: Turn,
  { task, past }: { readonly task: RegenerateTask; readonly past: ThreadHistory },
  { turn: reference, claim, context }: AnswerWork,
): Promise<TaskResult> {
  const reconcileAt = context.time.now() + RECONCILE_AFTER_MS;
  const position = { from: past.from, number: past.number };
  await context.turns.rewrite(reference, claim.fence, turn, position, task.key, reconcileAt);
  await publishStoredAnswer(reference, turn, claim.posted, context);
  return { kind: 'done' };
}
