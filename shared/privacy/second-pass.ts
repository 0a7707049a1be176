import type { EraseTask, Thread } from '../domain/index.ts';
import type { ErasedSubject } from '../storage/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { PrivacyContext } from './context.ts';

type SecondPassContext = Pick<PrivacyContext, 'erasureMoments' | 'queue' | 'time'>;

/**
 * After this time no write that was in flight at the removal of a workspace can arrive: longer than any function that
 * records questions runs, and shorter than the alarm for waiting tasks.
 */
export const SECOND_PASS_DELAY_MS = 4 * 60_000;

/**
 * Queues the second pass over a removed workspace or channel, or over what a person wrote before: a write that was in flight may have stored it
 * again. After the erasure of a thread, each earlier question is removed when its task runs.
 */
export async function enqueueSecondPass(
  task: EraseTask,
  { erasureMoments, queue, time }: SecondPassContext,
): Promise<void> {
  const { thread, scope } = task;
  if (!SCOPES_WITH_SECOND_PASS.has(scope.kind)) return;
  const { platform } = thread;
  const [team] = scope.kind === 'teams' ? scope.teams : [];
  const subject =
    scope.kind === 'person' ? getErasureSubject(thread, scope) : team && { platform, workspace: team };
  const revokedAt = subject && (await erasureMoments.find(subject));
  const sentUntil = scope.kind === 'workspace' ? scope.at : (revokedAt ?? time.now());
  const round = task.round + 1;
  const secondPass = { dueAt: time.now() + SECOND_PASS_DELAY_MS, sentUntil };
  await enqueueTask(
    // Only the end of the first pass is reported to the person.
    { ...task, cursor: undefined, round, waitCount: undefined, interaction: undefined, secondPass },
    `${round}`,
    queue,
  );
}

/**
 * Records the time of the erasure. From then on, earlier messages are not read back from the platform, and earlier requests
 * are not executed. Runs before the removal: otherwise they could store removed items again. A request of a person has one
 * moment, also if its task is delivered again because it waits for the scan lease: what was asked since then is answered.
 */
export async function recordMoment(
  { thread, scope, interaction }: EraseTask,
  { erasureMoments, time }: SecondPassContext,
): Promise<void> {
  const { platform, workspace } = thread;
  // Not before the request: the clock of this process may have been set back.
  const erasedAt = Math.max(time.now(), interaction?.receivedAt ?? 0);
  const requestedAt = interaction?.receivedAt ?? Infinity;
  const recordOnce = async (subject: ErasedSubject): Promise<void> => {
    if (((await erasureMoments.find(subject)) ?? 0) < requestedAt)
      await erasureMoments.record(subject, erasedAt);
  };
  if (scope.kind === 'thread') await recordOnce({ thread });
  // The time of the removal, not now: the app may be installed again since, and later requests count.
  if (scope.kind === 'workspace') await erasureMoments.record({ platform, workspace }, scope.at);
  for (const team of scope.kind === 'teams' ? scope.teams : [])
    await erasureMoments.record({ platform, workspace: team }, erasedAt);
  if (scope.kind === 'person') await recordOnce(getErasureSubject(thread, scope));
}

const SCOPES_WITH_SECOND_PASS: ReadonlySet<EraseTask['scope']['kind']> = new Set([
  'workspace',
  'teams',
  'channel',
  'person',
]);

/** Whose erasure it is, and where. */
export const getErasureSubject = (
  { platform, workspace }: Pick<Thread, 'platform' | 'workspace'>,
  { user, everywhere }: Extract<EraseTask['scope'], { kind: 'person' }>,
) => ({ platform, workspace: everywhere === true ? undefined : workspace, user });
