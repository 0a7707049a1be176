import type { ChatContext } from '../chat/index.ts';
import { type AskTask, getIntegrationId, type QueueDelivery } from '../domain/index.ts';
import { describeIntegrationRefusal, type IntegrationsContext } from '../integrations/index.ts';
import { getAccessRefusal } from '../settings/rules/index.ts';

/** What it takes to reject a question. */
export type RejectContext = Pick<
  ChatContext,
  'turns' | 'time' | 'platform' | 'userProfile' | 'memberRoles' | 'settings' | 'takeBotQuestionPermit'
> & { readonly integrations: { readonly store: Pick<IntegrationsContext['integrations']['store'], 'find'> } };

/** `words`: the text for the asker, if any. */
export type RejectedRequest = { readonly words?: string };

/** Returns why an integration is refused. One that was removed while its question waited can read no answer. */
export async function findIntegrationRefusal(
  task: AskTask,
  { settings: { layers }, integrations }: RejectContext,
): Promise<RejectedRequest | undefined> {
  const id = getIntegrationId(task.asker);
  if (id === undefined || !(await integrations.store.find(task.thread, id))) return {};
  const words = describeIntegrationRefusal(task, layers);
  return words === undefined ? undefined : { words };
}

/** Returns why a question of another bot is refused. Limits them, so that two bots cannot answer each other endlessly outside of threads. */
export async function findBotRefusal(
  task: AskTask,
  context: RejectContext,
  { isRedelivery }: Pick<QueueDelivery, 'isRedelivery'>,
): Promise<RejectedRequest | undefined> {
  const { asker: user, thread } = task;
  const refusal = getAccessRefusal(
    { user, roles: [], channel: thread.channel, admin: false },
    context.settings.layers,
  );
  // The bot allowlist was checked when the message arrived: see `acceptQuestion`.
  if (refusal && refusal !== 'not-allowed') return {};
  // Counted once: a queued question is delivered again.
  if (isRedelivery) return undefined;
  return (await context.takeBotQuestionPermit(task.thread)) ? undefined : {};
}
