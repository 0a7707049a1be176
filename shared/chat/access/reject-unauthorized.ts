import type { ChatContext } from '../context.ts';
import { type AskTask, taskTurnRef, type QueueDelivery, type TaskResult } from '../../domain/index.ts';
import { isSilent, mayUse } from '../../settings/rules/index.ts';
import { findRefusal, resolveLocale, resolveTurnLocale } from '../../settings/index.ts';
import { localize } from '../../i18n/index.ts';
import { withClaim } from './with-claim.ts';

type RejectContext = Pick<
  ChatContext,
  'turns' | 'time' | 'platform' | 'userProfile' | 'memberRoles' | 'settings' | 'botMayAsk'
>;

/**
 * Rejects a question that is not allowed here: posts an ephemeral refusal and removes the turn. In silent mode, only people
 * who used a command get a reply; bots never do. Returns undefined if the question is allowed.
 */
export async function rejectUnauthorized(
  task: AskTask,
  context: RejectContext,
  delivery: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<TaskResult | undefined> {
  const silent = isSilent(context.settings.layers);
  const refused = await (task.bot
    ? findBotRefusal(task, context, delivery)
    : findPersonRefusal(task, context));
  if (!silent && !refused) return undefined;
  const turn = taskTurnRef(task);
  return withClaim(turn, { context, again: delivery.isRedelivery }, async ({ ended, fence }) => {
    if (ended) return { kind: 'done' };
    // A person who used a command waits for a response; only then the task has a locale.
    const words = refused
      ? refused.words
      : task.locale &&
        localize(resolveLocale(context.settings.layers, task.locale), 'settings.refused.silent');
    if (words !== undefined) await context.platform.postEphemeral(turn, turn.asker, words, true);
    await context.turns.remove(turn, fence);
    return { kind: 'done' };
  });
}

/** `words`: the text for the asker, if any. */
type RejectedRequest = { readonly words?: string };

async function findPersonRefusal(
  task: AskTask,
  context: RejectContext,
): Promise<RejectedRequest | undefined> {
  const refusal = await findRefusal(task.thread, task.asker, context.settings.layers, context);
  if (!refusal) return undefined;
  const locale = await resolveTurnLocale(taskTurnRef(task), context);
  return { words: localize(locale, `settings.refused.${refusal}`) };
}

/** Limits questions of bots, so that two bots cannot answer each other endlessly outside of threads. */
async function findBotRefusal(
  task: AskTask,
  context: RejectContext,
  { isRedelivery }: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<RejectedRequest | undefined> {
  const { asker: user, thread } = task;
  const refusal = mayUse({ user, roles: [], channel: thread.channel, admin: false }, context.settings.layers);
  // The bot allowlist was checked when the message arrived: see `acceptQuestion`.
  if (refusal && refusal !== 'not-allowed') return {};
  // Counted once: a queued question is delivered again.
  if (isRedelivery) return undefined;
  return (await context.botMayAsk(task.thread)) ? undefined : {};
}
