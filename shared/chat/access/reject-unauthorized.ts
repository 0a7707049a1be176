import { type AskTask, turnOf } from '../../domain/index.ts';
import { isSilent, mayUse } from '../../settings/rules/index.ts';
import { localize } from '../../i18n/index.ts';
import { withClaim } from './with-claim.ts';
import { findRefusal } from '../../settings/authorize.ts';
import type { QueueDelivery, WorkerContext, TaskResult } from '../../context/ports.ts';
import { resolveLocale, resolveTurnLocale } from '../../settings/resolve-locale.ts';

type RejectDeps = Pick<
  WorkerContext,
  'turns' | 'time' | 'platform' | 'userProfile' | 'memberRoles' | 'settings' | 'botMayAsk'
>;

/**
 * Puts a question aside that may not be asked here: the person is told so, nobody else sees it, and nothing of it stays.
 * Where the bot is silent, nobody is told anything who did not call it; nor is another bot. Undefined where the question is to be answered.
 */
export async function rejectUnauthorized(
  task: AskTask,
  deps: RejectDeps,
  delivery: Pick<QueueDelivery, 'again'>,
): Promise<TaskResult | undefined> {
  const silent = isSilent(deps.settings.layers);
  const refused = await (task.bot ? refusedBot(task, deps, delivery) : refusedPerson(task, deps));
  if (!silent && !refused) return undefined;
  const turn = turnOf(task);
  return withClaim(turn, { deps, again: delivery.again }, async ({ ended, fence }) => {
    if (ended) return { kind: 'done' };
    // Who called waits for an answer: a call says in which language.
    const words = refused
      ? refused.words
      : task.locale && localize(resolveLocale(deps.settings.layers, task.locale), 'settings.refused.silent');
    if (words !== undefined) await deps.platform.postEphemeral(turn, turn.asker, words, true);
    await deps.turns.remove(turn, fence);
    return { kind: 'done' };
  });
}

/** `words` are for whoever asked. */
type RejectedRequest = { readonly words?: string };

async function refusedPerson(task: AskTask, deps: RejectDeps): Promise<RejectedRequest | undefined> {
  const refusal = await findRefusal(task.thread, task.asker, deps.settings.layers, deps);
  if (!refusal) return undefined;
  const locale = await resolveTurnLocale(turnOf(task), deps);
  return { words: localize(locale, `settings.refused.${refusal}`) };
}

/** Two bots that answer each other outside of threads end here: what is refused has no answer to go on from. */
async function refusedBot(
  task: AskTask,
  deps: RejectDeps,
  { again }: Pick<QueueDelivery, 'again'>,
): Promise<RejectedRequest | undefined> {
  const { asker: user, thread } = task;
  const refusal = mayUse({ user, roles: [], channel: thread.channel, admin: false }, deps.settings.layers);
  // That it is allowed was found when its message came: see `receive`.
  if (refusal && refusal !== 'not-allowed') return {};
  // Counted once: a question that has to wait comes again.
  if (again) return undefined;
  return (await deps.botMayAsk?.(task.thread)) === false ? {} : undefined;
}
