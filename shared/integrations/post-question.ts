import type { ChatContext } from '../chat/index.ts';
import {
  type Card,
  type Integration,
  getIntegrationId,
  type IntegrationAskTask,
  type MessageId,
  messageId,
  type TaskResult,
  type TurnRef,
} from '../domain/index.ts';
import { localize } from '../i18n/index.ts';
import { acceptQuestion, intakeWithin } from '../intake/index.ts';
import type { Queue } from '../aws/index.ts';
import { CannotPostError, ThreadDeletedError } from '../platforms/ports/index.ts';
import { resolveLocale } from '../settings/index.ts';
import type { Time } from '../runtime/index.ts';
import type { ApiRequest, ApiRequests, LiveAnswers, TurnIntake } from '../storage/index.ts';
import { enqueueTask } from '../task-queue/index.ts';
import type { IntegrationsContext } from './context.ts';
import { describeIntegrationRefusal } from './describe-refusal.ts';
import { mayBePrivate } from './private-channels.ts';
import { enqueueFailureWebhook } from './webhooks/enqueue-webhook.ts';

const DONE: TaskResult = { kind: 'done' };

/**
 * Posts the question of an integration in its channel, under its name, and asks it there like a question of a person: in the order of its thread, with the
 * settings, limits and budgets of the place. Where it may not ask, and where the bot is silent, nothing is posted. Safe to repeat: one request is one message, and one message is one turn. Rejects if a table, the queue or the
 * platform is unavailable.
 */
export async function postIntegrationQuestion(
  task: IntegrationAskTask,
  context: ChatContext & IntegrationsContext,
): Promise<TaskResult> {
  const { thread, asker, question, model } = task;
  const { store, requests } = context.integrations;
  const id = getIntegrationId(asker);
  if (id === undefined) return DONE;
  const request = await requests.find(thread, id, task.message);
  // Expired or erased.
  if (!request) return DONE;
  // Of an earlier delivery, whose webhook was perhaps not queued.
  if (request.failure) {
    await enqueueFailureWebhook(task, context);
    return DONE;
  }
  const integration = await store.find(thread, id);
  // It was removed, or the channel taken from it, after the request. A question that is already posted has its answer.
  if (!integration || !(request.turn || (await mayAsk(task, integration, context))))
    return fail(task, request, { failure: 'channel_not_allowed' }, context);
  const refusal = request.turn ? undefined : describeIntegrationRefusal(task, context.settings.layers);
  // Earlier versions know no other failure for it.
  if (refusal !== undefined) return fail(task, request, { failure: 'channel_not_allowed', refusal }, context);
  const turn = request.turn
    ? { ...task, thread: { ...thread, root: request.turn.root }, message: request.turn.message }
    : await post(task, integration, context);
  if (!turn) return fail(task, request, { failure: 'channel_unavailable' }, context);
  // Not stored: the request was erased or given up meanwhile.
  if (!(await requests.attach(thread, request, { root: turn.thread.root, message: turn.message })))
    return endUnasked({ ...task, ...turn }, request, context);
  await requests.link(thread, request, { channel: turn.thread.channel, message: turn.message });
  const message = {
    thread: turn.thread,
    id: turn.message,
    author: asker,
    authorWorkspace: thread.workspace,
    text: question,
    attachments: [],
  };
  await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(context), { model });
  return DONE;
}

/** Whether an integration may ask in a channel. One that was made private since it was allowed is read by its members only. */
const mayAsk = async (
  { thread: { platform, workspace, channel } }: IntegrationAskTask,
  integration: Integration,
  { isPublicChannel }: ChatContext,
): Promise<boolean> =>
  integration.channels.includes(channel) &&
  (mayBePrivate(channel, integration) || (await isPublicChannel({ platform, workspace, channel })));

export type GiveUpQuestionContext = {
  readonly integrations: {
    readonly requests: Pick<ApiRequests, 'fail' | 'find' | 'link'>;
    readonly answers: Pick<LiveAnswers, 'read'>;
  };
  readonly turns: Pick<TurnIntake, 'accept'>;
  readonly queue: Queue;
  readonly time: Pick<Time, 'now'>;
};

/**
 * Ends a question whose task the queue gave up: the integration reads that it was not posted. One that was posted has a failure notice in its thread instead, unless it
 * is answered, and the integration reads what is shown there. Rejects if a table or the queue is unavailable.
 */
export async function giveUpIntegrationQuestion(
  task: IntegrationAskTask,
  { integrations: { requests, answers }, turns, queue, time }: GiveUpQuestionContext,
): Promise<void> {
  const { thread, message: id, asker, askerWorkspace, question } = task;
  const integration = getIntegrationId(asker);
  if (integration === undefined) return;
  if (await requests.fail(thread, { id, integration }, { failure: 'unavailable' }))
    return enqueueFailureWebhook(task, { queue, time });
  const posted = (await requests.find(thread, integration, id))?.turn;
  if (!posted) return;
  const { root, message } = posted;
  const turn: TurnRef = { thread: { ...thread, root }, message, asker, askerWorkspace };
  // Answered or refused: a refused question has no turn any more.
  const { kind } = await answers.read(turn);
  if (kind === 'ended' || kind === 'refused') return;
  await requests.link(thread, { id, integration }, { channel: thread.channel, message });
  await enqueueFailureNotice(turn, question, { turns, queue });
}

/** Queues the notice below a question that was posted, and will not be asked. */
async function enqueueFailureNotice(
  turn: TurnRef,
  question: string,
  { turns, queue }: Pick<GiveUpQuestionContext, 'turns' | 'queue'>,
): Promise<void> {
  const { isLate: late } = await turns.accept(turn, question, []);
  await enqueueTask({ v: 1, kind: 'apologise', ...turn, question, late }, '', queue);
}

/**
 * Ends a question that this worker posted too late. If its task was given up meanwhile, its integration knows that it failed; people in the channel learn it from a
 * failure notice below it. An erased one is left alone.
 */
async function endUnasked(
  { thread, message, asker, askerWorkspace, question }: IntegrationAskTask,
  { id, integration }: ApiRequest,
  context: ChatContext & IntegrationsContext,
): Promise<TaskResult> {
  const request = await context.integrations.requests.find(thread, integration, id);
  if (request?.failure)
    await enqueueFailureNotice({ thread, message, asker, askerWorkspace }, question, context);
  return DONE;
}

async function fail(
  task: IntegrationAskTask,
  request: ApiRequest,
  failure: Parameters<ApiRequests['fail']>[2],
  context: Pick<ChatContext, 'queue' | 'time'> & IntegrationsContext,
): Promise<TaskResult> {
  if (await context.integrations.requests.fail(task.thread, request, failure))
    await enqueueFailureWebhook(task, context);
  return DONE;
}

/** Undefined if the platform refuses the message for good, and for a private thread of a public channel. */
async function post(
  { thread, message: id, asker, question }: IntegrationAskTask,
  { name }: Integration,
  { messenger, settings, isPublicChannel }: ChatContext,
): Promise<Pick<TurnRef, 'thread' | 'message'> | undefined> {
  const { platform, workspace, channel } = thread;
  const locale = resolveLocale(settings.layers, undefined);
  const card: Card = {
    parts: [
      { kind: 'text', markdown: question },
      { kind: 'note', markdown: localize(locale, 'integrations.asked', { name }) },
    ],
  };
  try {
    if (!beginsThread(thread.root, id)) {
      // Of a channel that everybody reads, an integration may not read what only some people do: who allowed it is perhaps not one of them.
      const isClosed =
        (await isPublicChannel({ platform, workspace, channel })) && !(await isPublicChannel(thread));
      return isClosed ? undefined : { thread, message: await messenger.postCard(thread, card, id) };
    }
    return await messenger.startThread(
      { platform, workspace, channel, id, by: { user: asker, workspace } },
      card,
    );
  } catch (error) {
    if (error instanceof CannotPostError || error instanceof ThreadDeletedError) return undefined;
    throw error;
  }
}

/** The task of a question that begins a thread names the request instead of a message. */
const beginsThread = (root: MessageId, id: MessageId): boolean => root === messageId(id);
