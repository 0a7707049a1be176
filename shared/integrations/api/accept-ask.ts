import { createHash } from 'node:crypto';
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
import { enqueueNamedTask } from '../../task-queue/index.ts';
import { ApiError, rateLimited } from './api-error.ts';
import { type AskBody, createRequestId, hashBody } from './ask-request.ts';

export type AcceptAskContext = AcceptQuestionContext & {
  readonly requests: Pick<ApiRequests, 'attach' | 'create' | 'link'>;
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
  return isRecent || (await isLost(place, stored, context))
    ? send(place, integration, body, stored, context)
    : stored;
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
  { now }: Pick<AcceptAskContext, 'now'>,
): ApiRequest {
  const at = now();
  const own = body.channel === undefined ? createMessageId({ id, at }) : undefined;
  return {
    id,
    integration: integration.id,
    bodyHash: hashBody(body),
    at,
    channel: body.channel ?? integrationChannel(integration),
    turn: own && { root: body.conversation ?? own, message: own },
  };
}

/** The ids of one millisecond. An integration sends fewer questions in it. */
const IDS_PER_MS = 1_000;

/**
 * Message ids sort by time, and retention reads the time in them. The microseconds follow from the id of the request, so that a repetition finds the same ones. `attempt`:
 * the next ones, if another question of this millisecond has those.
 */
function createMessageId({ id, at }: Pick<ApiRequest, 'id' | 'at'>, attempt = 0): MessageId {
  const first = createHash('sha256').update(id).digest().readUInt32BE() % IDS_PER_MS;
  const micros = (at % 1_000) * 1_000 + ((first + attempt) % IDS_PER_MS);
  return messageId(`${Math.floor(at / 1_000)}.${String(micros).padStart(6, '0')}`);
}

/** Makes a question of an own conversation findable by its message, which then is of no other question. Undefined if the request was erased meanwhile. */
async function takeMessageId(
  place: IntegrationPlace,
  { conversation }: AskBody,
  { turn, ...request }: ApiRequest & { readonly turn: NonNullable<ApiRequest['turn']> },
  { requests }: Pick<AcceptAskContext, 'requests'>,
): Promise<NonNullable<ApiRequest['turn']> | undefined> {
  const { channel } = request;
  let own = turn;
  for (let attempt = 1; attempt <= IDS_PER_MS; attempt += 1) {
    if (await requests.link(place, request, { channel, message: own.message })) return own;
    const message = createMessageId(request, attempt);
    own = { root: conversation ?? message, message };
    if (!(await requests.attach(place, request, own))) return undefined;
  }
  throw new ApiError('unavailable');
}

/** Resolves with the request as it is stored then. */
async function send(
  { platform, workspace }: IntegrationPlace,
  integration: Integration,
  body: AskBody,
  request: ApiRequest,
  context: AcceptAskContext,
): Promise<ApiRequest> {
  const asker = integrationUser(integration);
  const { question, model, thread: root } = body;
  const { id, channel, turn: first } = request;
  if (first && channel === integrationChannel(integration)) {
    const turn = await takeMessageId({ platform, workspace }, body, { ...request, turn: first }, context);
    if (!turn) return request;
    const thread = { platform, workspace, channel, root: turn.root };
    const message = { thread, id: turn.message, author: asker, authorWorkspace: workspace, text: question };
    await acceptQuestion({ ...message, attachments: [], addressed: 'direct' }, context, { model });
    return { ...request, turn };
  }
  const thread = { platform, workspace, channel, root: root ?? messageId(id) };
  await enqueueNamedTask(
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
  return request;
}
