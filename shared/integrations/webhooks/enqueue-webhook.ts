import {
  getIntegrationId,
  integrationUser,
  isIntegration,
  serializeTask,
  threadKey,
  type TurnRef,
  type WebhookTask,
} from '../../domain/index.ts';
import type { Queue } from '../../aws/index.ts';
import type { Webhooks } from '../../storage/index.ts';
import type { ListChannelWebhooks } from '../context.ts';

type EnqueueContext = {
  readonly queue: Queue;
  readonly time: { readonly now: () => number };
  readonly integrations: {
    readonly webhooks: Pick<Webhooks, 'find'>;
    readonly listChannelWebhooks: ListChannelWebhooks;
  };
};

/** What happened: the answer of a turn has ended, or somebody rated it. */
export type WebhookEvent =
  | { readonly kind: 'answer' }
  | {
      readonly kind: 'feedback';
      readonly good: boolean;
      /** The id of the interaction. */ readonly ratedBy: string;
    };

/**
 * Queues the webhooks of an event: to the integration that asked, if it wants it, and to those that want all answers in the channel. Each event has a message
 * group of its own: one that waits for its receiver stops no other. Within five minutes the same event is queued once; a rating is the same if its interaction is.
 */
export async function enqueueWebhook(
  turn: TurnRef,
  event: WebhookEvent,
  { queue, time, integrations }: EnqueueContext,
): Promise<void> {
  const { thread, message } = turn;
  const own = getIntegrationId(turn.asker);
  const webhook = own === undefined ? undefined : await integrations.webhooks.find(thread, own);
  const isOwn = webhook && !webhook.isOff && webhook.events.includes(event.kind);
  const others = isIntegration(thread.channel) ? [] : await integrations.listChannelWebhooks(thread);
  const subscribers = others.filter(
    ({ integration: { id, channels }, events }) =>
      id !== own && channels.includes(thread.channel) && events.includes(event.kind),
  );
  const rating = event.kind === 'feedback' ? `#${event.ratedBy}` : '';
  const task: WebhookTask = {
    v: 1,
    kind: 'webhook',
    ...turn,
    event: event.kind,
    ...(event.kind === 'feedback' && { good: event.good, ratedBy: event.ratedBy }),
    at: time.now(),
  };
  const group = `webhook#${threadKey(thread)}#${message}${rating}`;
  if (isOwn) await queue.send(serializeTask(task), group, group);
  for (const { integration } of subscribers) {
    const asker = integrationUser(integration);
    const key = `${group}#${integration.id}`;
    await queue.send(
      serializeTask({ ...task, asker, askerWorkspace: thread.workspace, others: true }),
      key,
      key,
    );
  }
}
