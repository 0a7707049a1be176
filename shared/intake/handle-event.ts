import type { ChatEvent, IncomingMessage, RegenerateTask } from '../domain/index.ts';
import type { TurnLookup, TurnSignals } from '../storage/index.ts';
import { sendErasure } from '../privacy/erase.ts';
import { enqueueForget } from '../voice/auto-transcribe.ts';
import { enqueueDeletion, enqueueTask } from '../task-queue/enqueue.ts';
import { acceptQuestion, type AcceptQuestionContext, turnOfMessage } from './accept-question.ts';
import { type SignalContext, signalTurn, stopThread } from '../chat/access/signal-turn.ts';

export { stopThread } from '../chat/access/signal-turn.ts';

export type HandleEventContext = AcceptQuestionContext & SignalContext & { readonly signals: TurnSignals };

/**
 * Takes in whatever happens on a platform. What changes an answer goes through the queue, in line with its thread; a mark
 * on the turn tells the worker that is busy with it right now. If it rejects, the platform has to deliver again.
 */
export async function handleEvent(
  happening: ChatEvent,
  context: HandleEventContext,
): Promise<'queued' | 'done' | 'ignored'> {
  switch (happening.kind) {
    case 'removed': {
      const { platform, workspace, at } = happening;
      await sendErasure(platform, workspace, { kind: 'workspace', at }, `removed-${at}`, context.queue);
      return 'queued';
    }
    case 'access-revoked': {
      const { platform, workspace, teams, at } = happening;
      const wish = `revoked-${at}-${teams[0]}-${teams.length}`;
      await sendErasure(platform, workspace, { kind: 'teams', teams: [...teams] }, wish, context.queue);
      return 'queued';
    }
    case 'message':
      return acceptQuestion(happening.message, context);
    case 'edited':
      return edited(happening.message, happening.at, context);
    case 'deleted':
      return deleted(happening, context);
    case 'stopped':
      await stopThread(happening.thread, context);
      return 'done';
    case 'pressed':
      return pressed(happening, context);
  }
}

/** The answer is made anew. A message that was not for the bot may be now. */
async function edited(
  message: IncomingMessage,
  at: string,
  context: HandleEventContext,
): Promise<'queued' | 'ignored'> {
  const found = await context.signals.find(message.thread, message.id);
  // Nothing is on record: a mention was added, or an old message was touched up, which asks for nothing.
  if (!found)
    return message.addressed === 'mention' ? acceptQuestion(message, context, { late: true }) : 'ignored';
  const { text: question, attachments } = message;
  const key = `edit-${at}`;
  await redo(found, { key, by: message.author }, context, {
    kind: 'edited',
    of: message.id,
    question,
    attachments: [...attachments],
  });
  await signalTurn(turnOfMessage(message), 'edited', context, key);
  return 'queued';
}

/**
 * Question and answer go. When the message that the thread hangs on was deleted, nothing more is said there: what has no
 * answer yet goes too.
 */
async function deleted(
  { thread, message, spoken }: Extract<ChatEvent, { kind: 'deleted' }>,
  context: HandleEventContext,
): Promise<'queued' | 'done' | 'ignored'> {
  if (context.voice && (spoken ?? (await context.signals.hasRecordings(thread, message)))) {
    // What waits to be heard is let go; what was written out is taken back.
    await context.signals.rememberDeletion(thread, message);
    await enqueueForget(thread, message, context.voice);
  }
  // Before the look: whoever records the message after it sees that it was deleted.
  if (context.signals.mayBeRecorded(message)) await context.signals.rememberDeletion(thread, message);
  const found = await context.signals.find(thread, message);
  const isRoot = message === thread.root;
  if (found) await removeMergedQuestion(found, context);
  if (!isRoot) return found ? 'queued' : 'ignored';
  if (!found && !(await context.turns.knows(thread))) return 'done';
  // Closed before anyone looks: a question that this look misses is on record after it, and its worker sees it closed.
  await context.signals.close(thread);
  const open = await context.signals.unanswered(thread);
  const waiting = new Set(open.map(({ turn }) => turn.message));
  for (const one of open) {
    // A question that was merged is answered once the turn is that answers it: it stays there, whoever deleted the root.
    const isAnswered = one.into !== undefined && !waiting.has(one.into);
    if (one.turn.message !== message && !isAnswered) await removeMergedQuestion(one, context);
  }
  return 'queued';
}

/** Has a question and its answer removed, in line with its thread. */
export async function removeMergedQuestion(
  found: TurnLookup,
  context: Pick<HandleEventContext, 'signals' | 'showMessage' | 'queue'>,
): Promise<void> {
  await enqueueDeletion(found.turn, context.queue, found.into);
  await signalTurn(found.turn, 'deleted', context);
}

async function pressed(
  { thread, message, by, press, at }: Extract<ChatEvent, { kind: 'pressed' }>,
  context: HandleEventContext,
): Promise<'queued' | 'done' | 'ignored'> {
  const found = await context.signals.find(thread, message);
  if (!found) return 'ignored';
  if (press.kind === 'stop') {
    await signalTurn(found.turn, 'stopped', context);
    return 'done';
  }
  await redo(found, { key: `press-${at}`, by, pressedAt: context.now() }, context, press);
  return 'queued';
}

type ChangeRequest = Pick<RegenerateTask, 'key' | 'by' | 'pressedAt'>;

/** Queues a wish to have an answer made anew. A question that was answered together with others is part of their turn. */
async function redo(
  found: TurnLookup,
  wish: ChangeRequest,
  context: Pick<HandleEventContext, 'queue'>,
  how: RegenerateTask['how'],
): Promise<void> {
  const message = found.into ?? found.turn.message;
  const task: RegenerateTask = {
    v: 1,
    kind: 'redo',
    round: 0,
    ...found.turn,
    message,
    ...wish,
    how,
  };
  await enqueueTask(task, wish.key, context.queue);
}
