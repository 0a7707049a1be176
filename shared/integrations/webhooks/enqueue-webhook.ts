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
import { shortenQueueId } from '../../task-queue/index.ts';
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
  const { thread } = turn;
  const own = getIntegrationId(turn.asker);
  const webhook = own === undefined ? undefined : await integrations.webhooks.find(thread, own);
  const isOwn = webhook && !webhook.isOff && webhook.events.includes(event.kind);
  const others = isIntegration(thread.channel) ? [] : await integrations.listChannelWebhooks(thread);
  const subscribers = others.filter(
    ({ integration: { id, channels }, events }) =>
      id !== own && channels.includes(thread.channel) && events.includes(event.kind),
  );
  const task: WebhookTask = {
    v: 1,
    kind: 'webhook',
    ...turn,
    event: event.kind,
    ...(event.kind === 'feedback' && { good: event.good, ratedBy: event.ratedBy }),
    at: time.now(),
  };
  if (isOwn) await send(task, queue);
  for (const { integration } of subscribers) {
    const asker = integrationUser(integration);
    await send({ ...task, asker, askerWorkspace: thread.workspace, others: true }, queue);
  }
}

/**
 * Queues the webhook of a question of an integration that failed before it was asked, so that it has no turn: its `message` is the id of the request. Whether the
 * integration wants it is seen when it is sent.
 */
export const enqueueFailureWebhook = (
  { thread, message, asker, askerWorkspace }: TurnRef,
  { queue, time }: Pick<EnqueueContext, 'queue' | 'time'>,
): Promise<void> =>
  send(
    { v: 1, kind: 'webhook', thread, message, asker, askerWorkspace, event: 'answer', at: time.now() },
    queue,
  );

function send(task: WebhookTask, queue: Queue): Promise<void> {
  const { thread, message, asker, ratedBy, others } = task;
  const parts = ['webhook', threadKey(thread), message, ...(ratedBy === undefined ? [] : [ratedBy])];
  const group = shortenQueueId([...parts, ...(others ? [getIntegrationId(asker)] : [])].join('#'));
  return queue.send(serializeTask(task), group, group);
}
