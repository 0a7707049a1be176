import type { ChatEvent, IncomingMessage, RegenerateTask } from '../domain/index.ts';
import type { TurnLookup, TurnSignals } from '../storage/index.ts';
import { sendErasure } from '../privacy/erase.ts';
import { enqueueForget } from '../voice/auto-transcribe.ts';
import { enqueueDeletion, enqueueTask } from '../task-queue/enqueue.ts';
import { acceptQuestion, type AcceptQuestionDeps, turnOfMessage } from './accept-question.ts';
import { type SignalDeps, signalTurn, stopThread } from '../chat/access/signal-turn.ts';

export { stopThread } from '../chat/access/signal-turn.ts';

export type HandleEventDeps = AcceptQuestionDeps & SignalDeps & { readonly marks: TurnSignals };

/**
 * Takes in whatever happens on a platform. What changes an answer goes through the queue, in line with its thread; a mark
 * on the turn tells the worker that is busy with it right now. If it rejects, the platform has to deliver again.
 */
export async function handleEvent(
  happening: ChatEvent,
  deps: HandleEventDeps,
): Promise<'queued' | 'done' | 'ignored'> {
  switch (happening.kind) {
    case 'removed': {
      const { platform, workspace, at } = happening;
      await sendErasure(platform, workspace, { kind: 'workspace', at }, `removed-${at}`, deps.queue);
      return 'queued';
    }
    case 'access-revoked': {
      const { platform, workspace, teams, at } = happening;
      const wish = `revoked-${at}-${teams[0]}-${teams.length}`;
      await sendErasure(platform, workspace, { kind: 'teams', teams: [...teams] }, wish, deps.queue);
      return 'queued';
    }
    case 'message':
      return acceptQuestion(happening.message, deps);
    case 'edited':
      return edited(happening.message, happening.at, deps);
    case 'deleted':
      return deleted(happening, deps);
    case 'stopped':
      await stopThread(happening.thread, deps);
      return 'done';
    case 'pressed':
      return pressed(happening, deps);
  }
}

/** The answer is made anew. A message that was not for the bot may be now. */
async function edited(
  message: IncomingMessage,
  at: string,
  deps: HandleEventDeps,
): Promise<'queued' | 'ignored'> {
  const found = await deps.marks.find(message.thread, message.id);
  // Nothing is on record: a mention was added, or an old message was touched up, which asks for nothing.
  if (!found)
    return message.addressed === 'mention' ? acceptQuestion(message, deps, { late: true }) : 'ignored';
  const { text: question, attachments } = message;
  const key = `edit-${at}`;
  await redo(found, { key, by: message.author }, deps, {
    kind: 'edited',
    of: message.id,
    question,
    attachments: [...attachments],
  });
  await signalTurn(turnOfMessage(message), 'edited', deps, key);
  return 'queued';
}

/**
 * Question and answer go. When the message that the thread hangs on was deleted, nothing more is said there: what has no
 * answer yet goes too.
 */
async function deleted(
  { thread, message, spoken }: Extract<ChatEvent, { kind: 'deleted' }>,
  deps: HandleEventDeps,
): Promise<'queued' | 'done' | 'ignored'> {
  if (deps.voice && (spoken ?? (await deps.marks.hasRecordings(thread, message)))) {
    // What waits to be heard is let go; what was written out is taken back.
    await deps.marks.rememberDeletion(thread, message);
    await enqueueForget(thread, message, deps.voice);
  }
  // Before the look: whoever records the message after it sees that it was deleted.
  if (deps.marks.mayBeRecorded(message)) await deps.marks.rememberDeletion(thread, message);
  const found = await deps.marks.find(thread, message);
  const isRoot = message === thread.root;
  if (found) await removeMergedQuestion(found, deps);
  if (!isRoot) return found ? 'queued' : 'ignored';
  if (!found && !(await deps.turns.knows(thread))) return 'done';
  // Closed before anyone looks: a question that this look misses is on record after it, and its worker sees it closed.
  await deps.marks.close(thread);
  const open = await deps.marks.unanswered(thread);
  const waiting = new Set(open.map(({ turn }) => turn.message));
  for (const one of open) {
    // A question that was merged is answered once the turn is that answers it: it stays there, whoever deleted the root.
    const isAnswered = one.into !== undefined && !waiting.has(one.into);
    if (one.turn.message !== message && !isAnswered) await removeMergedQuestion(one, deps);
  }
  return 'queued';
}

/** Has a question and its answer removed, in line with its thread. */
export async function removeMergedQuestion(
  found: TurnLookup,
  deps: Pick<HandleEventDeps, 'marks' | 'showMessage' | 'queue'>,
): Promise<void> {
  await enqueueDeletion(found.turn, deps.queue, found.into);
  await signalTurn(found.turn, 'deleted', deps);
}

async function pressed(
  { thread, message, by, press, at }: Extract<ChatEvent, { kind: 'pressed' }>,
  deps: HandleEventDeps,
): Promise<'queued' | 'done' | 'ignored'> {
  const found = await deps.marks.find(thread, message);
  if (!found) return 'ignored';
  if (press.kind === 'stop') {
    await signalTurn(found.turn, 'stopped', deps);
    return 'done';
  }
  await redo(found, { key: `press-${at}`, by, pressedAt: deps.now() }, deps, press);
  return 'queued';
}

type ChangeRequest = Pick<RegenerateTask, 'key' | 'by' | 'pressedAt'>;

/** Queues a wish to have an answer made anew. A question that was answered together with others is part of their turn. */
async function redo(
  found: TurnLookup,
  wish: ChangeRequest,
  deps: Pick<HandleEventDeps, 'queue'>,
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
  await enqueueTask(task, wish.key, deps.queue);
}
