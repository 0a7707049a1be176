import { type Integration, isIntegration, type WebhookTask } from '../../domain/index.ts';
import type { ApiRequest, ApiRequests, LiveAnswers } from '../../storage/index.ts';
import { toAnswerObject } from '../api/answer-object.ts';
import { isRequestId } from '../api/ask-request.ts';

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
  task: WebhookTask,
  { id: integrationId, name }: Pick<Integration, 'id' | 'name'>,
  { requests, answers }: PayloadContext,
): Promise<WebhookPayload | undefined> {
  const { thread, message, at, others } = task;
  const integration = { id: integrationId, name };
  const timestamp = new Date(at).toISOString();
  // A question that failed before it was posted has no turn.
  const id = isRequestId(message)
    ? message
    : await requests.findByTurn(thread, integrationId, { channel: thread.channel, message });
  if (task.event === 'feedback')
    return {
      type: 'feedback.given',
      timestamp,
      data: { id: id ?? null, ...describeRating(task), integration },
    };
  const ownRequest = id === undefined ? undefined : await requests.find(thread, integrationId, id);
  const turn = { root: thread.root, message };
  const ofOthers = { id: '', integration: integrationId, bodyHash: '', at, channel: thread.channel, turn };
  const request: ApiRequest | undefined = ownRequest ?? (others ? ofOthers : undefined);
  if (!request) return undefined;
  const answer = request.failure === undefined ? await answers.read({ thread, message }) : undefined;
  if (answer?.kind === 'pending' || answer?.kind === 'gone') return undefined;
  // What a person was refused is between them and the bot.
  if (others && answer?.kind === 'refused') return undefined;
  const object = toAnswerObject({ request, answer });
  const data = { ...object, id: object.id || null, integration };
  return { type: data.status === 'completed' ? 'answer.completed' : 'answer.failed', timestamp, data };
}

/** The rating, and where the answer is. */
function describeRating({ thread, good }: WebhookTask) {
  const isOwn = isIntegration(thread.channel);
  return {
    rating: good === true ? 'good' : 'bad',
    conversation: isOwn ? thread.root : null,
    channel: isOwn ? null : thread.channel,
    thread: isOwn ? null : thread.root,
  };
}
