import {
  type Integration,
  integrationChannel,
  type IntegrationPlace,
  integrationUser,
  isIntegration,
  type MessageId,
  messageId,
  type Thread,
} from '../../domain/index.ts';
import { acceptQuestion, type AcceptQuestionContext } from '../../intake/index.ts';
import type { Clock } from '../../runtime/index.ts';
import type { ApiRequest, ApiRequests, LiveAnswers } from '../../storage/index.ts';
import { enqueueTask } from '../../task-queue/index.ts';
import { ApiError, rateLimited } from './api-error.ts';
import { type AskBody, createRequestId, hashBody } from './ask-request.ts';

export type AcceptAskContext = AcceptQuestionContext & {
  readonly requests: Pick<ApiRequests, 'create' | 'link'>;
  readonly answers: Pick<LiveAnswers, 'read'>;
  /** Takes one of the requests of an integration. Resolves with the wait in ms if there is none now. */
  readonly takeRequest: (place: IntegrationPlace, integration: string) => Promise<number | undefined>;
  readonly now: Clock;
  readonly randomBytes: (count: number) => Uint8Array;
};

/** Within this time SQS drops a task that is sent again: what a crash may have left out is sent again without a look at it. */
const RESEND_MS = 290_000;

/**
 * Accepts a question: stores the request, then the turn or the task that posts it. Idempotent: the same key with the same body returns the request of before.
 * Throws ApiError; rejects with another error if a table or the queue is unavailable, and the integration can send it again.
 */
export async function acceptAsk(
  { place, integration }: { readonly place: IntegrationPlace; readonly integration: Integration },
  body: AskBody,
  idempotencyKey: string | undefined,
  context: AcceptAskContext,
): Promise<ApiRequest> {
  const { channel } = body;
  if (channel !== undefined && !integration.channels.includes(channel))
    throw new ApiError('channel_not_allowed', { param: 'channel' });
  const id = createRequestId(integration.id, idempotencyKey, () => context.randomBytes(16));
  const waitMs = await context.takeRequest(place, integration.id);
  if (waitMs !== undefined) throw rateLimited(waitMs);
  await checkConversation(place, integration, body, context);
  const request = newRequest(id, integration, body, context);
  const existing = await context.requests.create(place, request);
  if (existing && existing.bodyHash !== request.bodyHash) throw new ApiError('idempotency_key_reused');
  const stored = existing ?? request;
  const isRecent = context.now() - stored.at < RESEND_MS;
  if (isRecent || (await isLost(place, stored, context)))
    await send(place, integration, body, stored, context);
  return stored;
}

/** Whether a crash left out the turn of a request, or the task that posts it. A turn in a channel is missing only if its message was deleted. */
async function isLost(
  place: IntegrationPlace,
  { channel, turn, failure }: ApiRequest,
  { answers }: Pick<AcceptAskContext, 'answers'>,
): Promise<boolean> {
  if (failure) return false;
  if (!turn) return true;
  if (!isIntegration(channel)) return false;
  const thread: Thread = { ...place, channel, root: turn.root };
  return (await answers.read({ thread, message: turn.message })).kind === 'gone';
}

/** A conversation exists if its first question is stored. */
async function checkConversation(
  { platform, workspace }: IntegrationPlace,
  integration: Integration,
  { conversation: root }: AskBody,
  { turns }: AcceptAskContext,
): Promise<void> {
  if (root === undefined) return;
  const thread: Thread = { platform, workspace, channel: integrationChannel(integration), root };
  if (!(await turns.isParticipating(thread)))
    throw new ApiError('not_found', { param: 'conversation', message: 'There is no such conversation.' });
}

function newRequest(
  id: string,
  integration: Integration,
  body: AskBody,
  context: Pick<AcceptAskContext, 'now' | 'randomBytes'>,
): ApiRequest {
  const own = body.channel === undefined ? newMessageId(context) : undefined;
  return {
    id,
    integration: integration.id,
    bodyHash: hashBody(body),
    at: context.now(),
    channel: body.channel ?? integrationChannel(integration),
    turn: own && { root: body.conversation ?? own, message: own },
  };
}

/** Message ids sort by time, and retention reads the time in them. Two at the same time would be one turn, so the microseconds are random. */
function newMessageId({ now, randomBytes }: Pick<AcceptAskContext, 'now' | 'randomBytes'>): MessageId {
  const ms = now();
  const [high = 0, low = 0] = randomBytes(2);
  const micros = (ms % 1_000) * 1_000 + ((high * 256 + low) % 1_000);
  return messageId(`${Math.floor(ms / 1_000)}.${String(micros).padStart(6, '0')}`);
}

async function send(
  { platform, workspace }: IntegrationPlace,
  integration: Integration,
  { question, model, thread: root }: AskBody,
  { id, channel, turn }: ApiRequest,
  context: AcceptAskContext,
): Promise<void> {
  const asker = integrationUser(integration);
  if (turn && channel === integrationChannel(integration)) {
    await context.requests.link(
      { platform, workspace },
      { id, integration: integration.id },
      { channel, message: turn.message },
    );
    const thread = { platform, workspace, channel, root: turn.root };
    const message = { thread, id: turn.message, author: asker, authorWorkspace: workspace, text: question };
    await acceptQuestion({ ...message, attachments: [], addressed: 'direct' }, context, { model });
    return;
  }
  const thread = { platform, workspace, channel, root: root ?? messageId(id) };
  await enqueueTask(
    {
      v: 1,
      kind: 'integration-ask',
      thread,
      message: messageId(id),
      asker,
      askerWorkspace: workspace,
      question,
      model,
    },
    '',
    context.queue,
  );
}
