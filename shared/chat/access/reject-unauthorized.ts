import type { ChatContext } from '../context.ts';
import { type AskTask, taskTurnRef } from '../../domain/index.ts';
import { isSilent, mayUse } from '../../settings/rules/index.ts';
import { localize } from '../../i18n/index.ts';
import { withClaim } from './with-claim.ts';
import { findRefusal } from '../../settings/authorize.ts';
import type { QueueDelivery, TaskResult } from '../../context/ports.ts';
import { resolveLocale, resolveTurnLocale } from '../../settings/resolve-locale.ts';

type RejectContext = Pick<
  ChatContext,
  'turns' | 'time' | 'platform' | 'userProfile' | 'memberRoles' | 'settings' | 'botMayAsk'
>;

/**
 * Puts a question aside that may not be asked here: the person is told so, nobody else sees it, and nothing of it stays.
 * Where the bot is silent, nobody is told anything who did not call it; nor is another bot. Undefined where the question is to be answered.
 */
export async function rejectUnauthorized(
  task: AskTask,
  context: RejectContext,
  delivery: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<TaskResult | undefined> {
  const silent = isSilent(context.settings.layers);
  const refused = await (task.bot ? refusedBot(task, context, delivery) : refusedPerson(task, context));
  if (!silent && !refused) return undefined;
  const turn = taskTurnRef(task);
  return withClaim(turn, { context, again: delivery.isRedelivery }, async ({ ended, fence }) => {
    if (ended) return { kind: 'done' };
    // Who called waits for an answer: a call says in which language.
    const words = refused
      ? refused.words
      : task.locale &&
        localize(resolveLocale(context.settings.layers, task.locale), 'settings.refused.silent');
    if (words !== undefined) await context.platform.postEphemeral(turn, turn.asker, words, true);
    await context.turns.remove(turn, fence);
    return { kind: 'done' };
  });
}

/** `words` are for whoever asked. */
type RejectedRequest = { readonly words?: string };

async function refusedPerson(task: AskTask, context: RejectContext): Promise<RejectedRequest | undefined> {
  const refusal = await findRefusal(task.thread, task.asker, context.settings.layers, context);
  if (!refusal) return undefined;
  const locale = await resolveTurnLocale(taskTurnRef(task), context);
  return { words: localize(locale, `settings.refused.${refusal}`) };
}

/** Two bots that answer each other outside of threads end here: what is refused has no answer to go on from. */
async function refusedBot(
  task: AskTask,
  context: RejectContext,
  { isRedelivery: again }: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<RejectedRequest | undefined> {
  const { asker: user, thread } = task;
  const refusal = mayUse({ user, roles: [], channel: thread.channel, admin: false }, context.settings.layers);
  // That it is allowed was found when its message came: see `receive`.
  if (refusal && refusal !== 'not-allowed') return {};
  // Counted once: a question that has to wait comes again.
  if (again) return undefined;
  return (await context.botMayAsk(task.thread)) ? undefined : {};
}
