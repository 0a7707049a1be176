import {
  integrationIdOf,
  serializeTask,
  threadKey,
  type TurnRef,
  type WebhookTask,
} from '../../domain/index.ts';
import type { Queue } from '../../aws/index.ts';
import type { Webhooks } from '../../storage/index.ts';

type EnqueueContext = {
  readonly queue: Queue;
  readonly time: { readonly now: () => number };
  readonly integrations: { readonly webhooks: Pick<Webhooks, 'find'> };
};

/** What happened: the answer of a turn has ended, or somebody rated it. */
export type WebhookEvent =
  | { readonly kind: 'answer' }
  | { readonly kind: 'feedback'; readonly good: boolean };

/**
 * Queues the webhook of an event if the integration that asked wants it. Each event has a message group of its own: one that waits for its receiver stops no
 * other. Within five minutes the same event is queued once.
 */
export async function enqueueWebhook(
  turn: TurnRef,
  event: WebhookEvent,
  { queue, time, integrations }: EnqueueContext,
): Promise<void> {
  const id = integrationIdOf(turn.asker);
  if (id === undefined) return;
  const webhook = await integrations.webhooks.find(turn.thread, id);
  if (!webhook || webhook.isOff || !webhook.events.includes(event.kind)) return;
  const { thread, message, asker, askerWorkspace } = turn;
  const task: WebhookTask = {
    v: 1,
    kind: 'webhook',
    thread,
    message,
    asker,
    askerWorkspace,
    event: event.kind,
    ...(event.kind === 'feedback' && { good: event.good }),
    at: time.now(),
  };
  const rating = event.kind === 'feedback' ? `#${event.good ? 'good' : 'bad'}` : '';
  const group = `webhook#${threadKey(thread)}#${message}${rating}`;
  await queue.send(serializeTask(task), group, group);
}
