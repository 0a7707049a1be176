import type { ChatEvent, IncomingMessage, RegenerateTask } from '../domain/index.ts';
import { enqueueDeletion, enqueueReindex, enqueueTask } from '../task-queue/index.ts';
import type { TurnLookup, TurnSignals } from '../storage/index.ts';
import { enqueueChannelErasure, enqueueErasure, enqueueMessageErasure } from '../privacy/index.ts';
import { enqueueForget } from '../voice/index.ts';
import { type SignalContext, signalTurn, stopThread } from './signal-turn.ts';
import {
  acceptEditedMessage,
  acceptQuestion,
  type AcceptQuestionContext,
  getTurnRef,
} from './accept-question.ts';

export type HandleEventContext = AcceptQuestionContext & SignalContext & { readonly signals: TurnSignals };

/**
 * Handles an event of a platform. Changes of an answer go through the queue, in the group of its thread; a
 * signal on the turn also tells the worker that is answering right now. If it rejects, the platform must
 * deliver the event again.
 */
export async function handleEvent(
  event: ChatEvent,
  context: HandleEventContext,
): Promise<'queued' | 'done' | 'ignored'> {
  switch (event.kind) {
    case 'app-uninstalled': {
      const { platform, workspace, at } = event;
      await enqueueErasure(platform, workspace, { kind: 'workspace', at }, `removed-${at}`, context.queue);
      return 'queued';
    }
    case 'access-revoked': {
      const { platform, workspace, teams, at } = event;
      const requestKey = `revoked-${at}-${teams[0]}-${teams.length}`;
      await enqueueErasure(
        platform,
        workspace,
        { kind: 'teams', teams: [...teams] },
        requestKey,
        context.queue,
      );
      return 'queued';
    }
    case 'channel-deleted':
      return handleDeletedChannel(event, context);
    case 'message':
      return acceptQuestion(event.message, context);
    case 'message-edited':
      return handleEdit(event.message, event.at, context);
    case 'message-deleted':
      return handleDeletion(event, context);
    case 'thread-stop-clicked':
      await stopThread(event.thread, context);
      return 'done';
    case 'button-clicked':
      return handleButton(event, context);
  }
}

/** Regenerates the answer. A message that is not a question may become one: its edit may mention the bot, or arrive first. */
async function handleEdit(
  message: IncomingMessage,
  at: string,
  context: HandleEventContext,
): Promise<'queued' | 'ignored'> {
  const turn = getTurnRef(message);
  if (await context.signals.hasDocuments(message.thread, message.id))
    await enqueueReindex(turn, { ...message, editedAt: editTimeMs(at) }, context.queue);
  const key = `edit-${at}`;
  let lookup = await context.signals.find(message.thread, message.id);
  if (!lookup) {
    // An old message was edited, which is not a question.
    if (message.addressed !== 'mention') return 'ignored';
    const accepted = await acceptEditedMessage(message, { edit: key, editedAt: editTimeMs(at) }, context);
    if (accepted !== 'recorded') return accepted;
    lookup = await context.signals.find(message.thread, message.id);
    if (!lookup) return 'ignored';
  }
  // The deletion arrived before the question was recorded, and this edit, which is older, after it.
  const isWaiting = !lookup.ended && lookup.mergedInto === undefined;
  if (isWaiting && (await context.turns.dropDeleted(turn))) {
    await enqueueDeletion(turn, context.queue);
    return 'queued';
  }
  // Recorded from a later edit.
  if (lookup.recordedEdit !== undefined && lookup.recordedEdit > key) return 'ignored';
  const { text: question, attachments } = message;
  await enqueueRegenerate(lookup, { key, by: message.author }, context, {
    kind: 'edited',
    editedMessage: message.id,
    question,
    attachments: [...attachments],
    mayHaveFiles: message.mayHaveFiles,
  });
  await signalTurn(turn, 'edited', context, key);
  return 'queued';
}

/** When a message was edited (ms since 1970): Slack gives a timestamp like its message ids; that of Discord is in milliseconds already. */
const editTimeMs = (at: string): number => (at.includes('.') ? Number(at) * 1_000 : Number(at));

/**
 * Removes question and answer. If the root message of the thread was deleted, the bot posts nothing more there:
 * unanswered questions are removed too.
 */
async function handleDeletion(
  { thread, message, hasRecordings }: Extract<ChatEvent, { kind: 'message-deleted' }>,
  context: HandleEventContext,
): Promise<'queued' | 'done' | 'ignored'> {
  if (hasRecordings ?? (await context.signals.hasRecordings(thread, message))) {
    // Waiting transcriptions are cancelled, and posted transcripts deleted.
    await context.signals.rememberDeletion(thread, message);
    await enqueueForget(thread, message, context.transcriptionQueue);
  }
  if (await context.signals.hasDocuments(thread, message))
    await enqueueMessageErasure(thread, message, context.queue);
  // Written before the lookup: a process that records the message later sees the deletion.
  const isYoung = context.signals.canStillBeAccepted(message);
  if (isYoung) await context.signals.rememberDeletion(thread, message);
  const lookup = await context.signals.find(thread, message);
  // A change of its answer that is queued before the deletion must not ask it again.
  if (lookup && !isYoung) await context.signals.rememberDeletion(thread, message);
  const isRoot = message === thread.root;
  if (lookup) await removeQuestion(lookup, context);
  if (!isRoot) return lookup ? 'queued' : 'ignored';
  if (!lookup && !(await context.turns.isParticipating(thread))) return 'done';
  // Close the thread first: a question that this query misses is stored later, and its worker sees the closed
  // thread.
  await context.signals.closeThread(thread);
  const open = await context.signals.listUnanswered(thread);
  const waiting = new Set(open.map(({ turn }) => turn.message));
  for (const one of open) {
    // A merged question is answered once its turn is: it stays, whoever deleted the root.
    const isAnswered = one.mergedInto !== undefined && !waiting.has(one.mergedInto);
    if (one.turn.message !== message && !isAnswered) await removeQuestion(one, context);
  }
  return 'queued';
}

/** Erases what was collected there. A collection may be growing while its channel is deleted, so only that of a thread is looked for first. */
async function handleDeletedChannel(
  event: Extract<ChatEvent, { kind: 'channel-deleted' }>,
  { signals, queue }: HandleEventContext,
): Promise<'queued' | 'ignored'> {
  const { thread } = event;
  if (thread !== undefined && !(await signals.hasCollection(event))) return 'ignored';
  await enqueueChannelErasure(event, thread, queue);
  return 'queued';
}

/** Queues the removal of a question and its answer. */
export async function removeQuestion(
  lookup: Pick<TurnLookup, 'turn' | 'mergedInto'>,
  context: Pick<HandleEventContext, 'signals' | 'showMessage' | 'queue'>,
): Promise<void> {
  await enqueueDeletion(lookup.turn, context.queue, lookup.mergedInto);
  await signalTurn(lookup.turn, 'deleted', context);
}

async function handleButton(
  { thread, message, by, action, at }: Extract<ChatEvent, { kind: 'button-clicked' }>,
  context: HandleEventContext,
): Promise<'queued' | 'done' | 'ignored'> {
  const lookup = await context.signals.find(thread, message);
  if (!lookup) return 'ignored';
  if (action.kind === 'stop') {
    await signalTurn(lookup.turn, 'stopped', context);
    return 'done';
  }
  await enqueueRegenerate(lookup, { key: `press-${at}`, by, clickedAt: context.now() }, context, action);
  return 'queued';
}

type ChangeRequest = Pick<RegenerateTask, 'key' | 'by' | 'clickedAt'>;

/** Queues a request to answer again. A merged question belongs to the turn that answers it. */
async function enqueueRegenerate(
  lookup: TurnLookup,
  changeRequest: ChangeRequest,
  context: Pick<HandleEventContext, 'queue'>,
  change: RegenerateTask['change'],
): Promise<void> {
  const message = lookup.mergedInto ?? lookup.turn.message;
  const task: RegenerateTask = {
    v: 1,
    kind: 'redo',
    round: 0,
    ...lookup.turn,
    message,
    ...changeRequest,
    change,
  };
  await enqueueTask(task, changeRequest.key, context.queue);
}
