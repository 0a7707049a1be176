import { createHash } from 'node:crypto';
import type { ChatContext } from '../../chat/index.ts';
import {
  getIntegrationId,
  type QueueDelivery,
  type TaskResult,
  textCard,
  threadKey,
  type WebhookTask,
} from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import { maskText } from '../../private-data/index.ts';
import type { FindChannelVisibility } from '../../platforms/ports/index.ts';
import type { RequestToolServer } from '../../ports/index.ts';
import { resolveLocale } from '../../settings/index.ts';
import type { Integration } from '../../domain/index.ts';
import type { Webhook } from '../../storage/index.ts';
import { getErrorFacts } from '../../utils/index.ts';
import type { IntegrationsContext } from '../context.ts';
import { MAX_WEBHOOK_FAILURES, nextRetryMs } from './retry-webhook.ts';
import { signWebhook } from './sign-webhook.ts';
import { createWebhookPayload, type WebhookPayload } from './webhook-payload.ts';

export type DeliverWebhookContext = Pick<ChatContext, 'messenger' | 'settings' | 'time' | 'log'> &
  IntegrationsContext & {
    readonly isPublicChannel: FindChannelVisibility;
    /** The function that talks to servers of strangers. */
    readonly toolServers: { readonly request: RequestToolServer };
  };

const DONE: TaskResult = { kind: 'done' };
/** How long a receiver has to respond. */
const TIMEOUT_MS = 15_000;
/** A receiver that wants no more webhooks responds so. */
const GONE = 410;

/**
 * Sends the webhook of an event, signed. Any response other than 2xx is a failure: it is sent again up to five times within nine minutes of the event, with the
 * same id. A webhook that fails for ten events in a row is turned off, and its administrator told. Rejects if a table or the encryption is unavailable; the queue then repeats the
 * task, so a receiver can get an event more than once.
 */
export async function deliverWebhook(
  task: WebhookTask,
  context: DeliverWebhookContext,
  delivery: Pick<QueueDelivery, 'isLast'>,
): Promise<TaskResult> {
  const { thread, asker, at } = task;
  const { store, webhooks } = context.integrations;
  const id = getIntegrationId(asker);
  const webhook = id === undefined ? undefined : await webhooks.find(thread, id);
  if (id === undefined || !webhook || webhook.isOff || !webhook.events.includes(task.event)) return DONE;
  const integration = await store.find(thread, id);
  if (integration && task.others && !(await maySend(task, integration, webhook, context))) return DONE;
  const payload = integration && (await createWebhookPayload(task, integration, context.integrations));
  // Removed or erased meanwhile.
  if (!integration || !payload) return DONE;
  const secret = await webhooks.decrypt(thread, id, webhook);
  const body = JSON.stringify(masked(payload, task, context));
  const { status, wasTried } = await send(task, webhook, secret, body, context);
  if (status !== undefined && status >= 200 && status < 300) {
    if (webhook.failures > 0) await webhooks.resetFailures(thread, id, webhook);
    return DONE;
  }
  const retryMs = status === GONE ? undefined : nextRetryMs(context.time.now() - at);
  if (retryMs !== undefined && !delivery.isLast) return { kind: 'later', afterMs: retryMs };
  if (wasTried) await countFailure(task, { integration, webhook, isGone: status === GONE }, context);
  return DONE;
}

/**
 * Whether an integration may know what others asked for: the channel is still one of its own, everybody in the workspace can read it (so no direct message, private
 * channel, private thread or private answer is sent), and its administrator wants it.
 */
const maySend = async (
  { thread }: WebhookTask,
  { channels }: Integration,
  { isForChannels }: Webhook,
  { isPublicChannel }: DeliverWebhookContext,
): Promise<boolean> => isForChannels && channels.includes(thread.channel) && (await isPublicChannel(thread));

/** Masks in the answer to somebody else what the settings of the place mask for models. */
function masked(
  payload: WebhookPayload,
  { others }: WebhookTask,
  { settings }: DeliverWebhookContext,
): WebhookPayload {
  const { data } = payload;
  if (!others || !('answer' in data) || typeof data.answer !== 'string') return payload;
  return { ...payload, data: { ...data, answer: maskText(data.answer, settings.layers) } };
}

/** `status`: of the response, if there was one. `wasTried`: false if the function that sends webhooks did not answer, which is no failure of the receiver. */
async function send(
  task: WebhookTask,
  { url }: Webhook,
  secret: string,
  body: string,
  { toolServers, time, log }: DeliverWebhookContext,
): Promise<{ readonly status: number | undefined; readonly wasTried: boolean }> {
  const headers = signWebhook(secret, { id: webhookId(task), atSeconds: time.now() / 1_000, body });
  const response = await toolServers.request(
    { kind: 'webhook', url, headers, body, timeoutMs: TIMEOUT_MS },
    new AbortController().signal,
  );
  const status = response.kind === 'delivered' ? response.status : undefined;
  const reason = response.kind === 'failed' ? response.reason : undefined;
  const { platform, workspace } = task.thread;
  log('webhook.sent', {
    platform,
    workspace,
    kind: task.event,
    status,
    reason,
  });
  return { status, wasTried: reason !== 'unavailable' };
}

/** The same for each attempt, and for a repeated task, so that a receiver can drop what it knows. A hash: it does not tell who rated. */
function webhookId({ thread, message, event, good, ratedBy, at, others, asker }: WebhookTask): string {
  const parts = [
    threadKey(thread),
    message,
    event,
    ...(event === 'feedback' ? [good, ratedBy ?? at] : []),
    ...(others ? [asker] : []),
  ];
  return `msg_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}`;
}

async function countFailure(
  { thread }: WebhookTask,
  {
    integration,
    webhook,
    isGone,
  }: { readonly integration: Integration; readonly webhook: Webhook; readonly isGone: boolean },
  { integrations: { webhooks }, messenger, settings, log }: DeliverWebhookContext,
): Promise<void> {
  const failures = await webhooks.countFailure(thread, integration.id, webhook);
  if (failures === undefined || (!isGone && failures < MAX_WEBHOOK_FAILURES)) return;
  if (!(await webhooks.turnOff(thread, integration.id, webhook))) return;
  const locale = resolveLocale(settings.layers, undefined);
  const text = localize(locale, 'integrations.webhook.turned-off', {
    name: integration.name,
    url: webhook.url,
  });
  // Once for each time that it was set: it may be turned off again soon after.
  const key = `webhook-off-${createHash('sha256').update(webhook.sealed).digest('hex').slice(0, 32)}`;
  await messenger
    .sendDirectMessage(thread, webhook.by, textCard(text, 'bad'), key)
    .catch((error: unknown) => log('webhook.report-failed', getErrorFacts(error)));
}
