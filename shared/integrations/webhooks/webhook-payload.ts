import { type Integration, isIntegration, type WebhookTask } from '../../domain/index.ts';
import type { ApiRequests, LiveAnswers } from '../../storage/index.ts';
import { toAnswerObject } from '../api/answer-object.ts';

type PayloadContext = {
  readonly requests: Pick<ApiRequests, 'find' | 'findByTurn'>;
  readonly answers: Pick<LiveAnswers, 'read'>;
};

/** The body of a webhook, as Standard Webhooks has it. */
export type WebhookPayload = {
  readonly type: 'answer.completed' | 'answer.failed' | 'feedback.given';
  /** When it happened (ISO 8601). */
  readonly timestamp: string;
  readonly data: object;
};

/** Returns the body of a webhook; undefined if the answer was erased or has not ended. */
export async function createWebhookPayload(
  { thread, message, event, good, at }: WebhookTask,
  { id: integrationId, name }: Integration,
  { requests, answers }: PayloadContext,
): Promise<WebhookPayload | undefined> {
  const integration = { id: integrationId, name };
  const timestamp = new Date(at).toISOString();
  const id = await requests.findByTurn(thread, integrationId, { channel: thread.channel, message });
  if (event === 'feedback') {
    const isOwn = isIntegration(thread.channel);
    const place = {
      conversation: isOwn ? thread.root : null,
      channel: isOwn ? null : thread.channel,
      thread: isOwn ? null : thread.root,
    };
    const rating = good === true ? 'good' : 'bad';
    return { type: 'feedback.given', timestamp, data: { id: id ?? null, rating, ...place, integration } };
  }
  const request = id === undefined ? undefined : await requests.find(thread, integrationId, id);
  if (!request) return undefined;
  const answer = await answers.read({ thread, message });
  if (answer.kind === 'pending' || answer.kind === 'gone') return undefined;
  const data = { ...toAnswerObject({ request, answer }), integration };
  return { type: data.status === 'completed' ? 'answer.completed' : 'answer.failed', timestamp, data };
}
