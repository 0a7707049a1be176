import {
  type AskTask,
  type Attachment,
  type IncomingMessage,
  partRecordings,
  type Task,
  threadKey,
  type TurnRef,
} from '../conversation/index.ts';
import { resolve } from '../settings/index.ts';
import type { Queue } from '../runtime/queue.ts';
import type { Clock } from '../runtime/time.ts';
import type { Arrivals, SettingsPlace, SettingsStore } from '../store/index.ts';
import { overhear, type OverhearDeps, sendToHear } from './overhear.ts';

export type ReceiveDeps = OverhearDeps & {
  /** Of the messages that this process took in a moment ago: Slack tells twice of one that names the bot. Absent: nobody keeps them. */
  readonly taken?: { readonly get: (key: string, take: () => Promise<'queued'>) => Promise<'queued'> };
  /** Bots that may ask wherever they are; others need a channel that allows them. */
  readonly allowedBots?: ReadonlySet<string> | undefined;
  readonly turns: Pick<Arrivals, 'knows' | 'accept' | 'markUnsent'>;
  readonly queue: Queue;
  readonly now: Clock;
};

/** How long after a failed hand-over the sweeper tries; by then the platform's own first retries have had their turn. */
const UNSENT_AFTER_MS = 90_000;

/**
 * Takes a message in: one record in the table, one task on the queue, in this order. If it rejects, the platform has to
 * deliver the message again, and may: what is done already is not done twice. `late`: it was told of by an edit; `model`:
 * the one that it is to be asked of.
 */
export async function receive(
  message: IncomingMessage,
  deps: ReceiveDeps,
  more: Pick<AskTask, 'late' | 'model'> = {},
): Promise<'queued' | 'ignored'> {
  const { bot } = message;
  if (bot && !(await mayAsk(bot, message, deps))) return 'ignored';
  if (!(await isForUs(message, deps))) return overhear(message, deps);

  const { taken } = deps;
  if (!taken || more.late) return takeIn(message, deps, more);
  return taken.get(`${threadKey(message.thread)}#${message.id}`, () => takeIn(message, deps, more));
}

async function takeIn(
  message: IncomingMessage,
  deps: ReceiveDeps,
  more: Pick<AskTask, 'late' | 'model'>,
): Promise<'queued'> {
  const { bot, text, attachments } = message;
  const turn = turnOfMessage(message);
  try {
    if (await deps.turns.accept(turn, text, attachments)) more = { ...more, late: true };
    // Sent even if the record was there before: it does not tell whether the task reached the queue that time.
    await (bot
      ? ask(turn, text, attachments, deps, { bot: true, ...more })
      : handOver(turn, text, attachments, deps, more));
  } catch (error) {
    const dueMs = deps.now() + UNSENT_AFTER_MS;
    // The sweeper queues it as a person's; what a bot asked is left to the platform, which delivers it again.
    if (!bot) await deps.turns.markUnsent(turn, text, attachments, dueMs).catch(() => undefined);
    throw error;
  }
  return 'queued';
}

/** Whether another bot is one of those that may ask there. */
async function mayAsk(
  bot: readonly string[],
  { thread: { platform, workspace, channel } }: IncomingMessage,
  { allowedBots, choices }: ReceiveDeps,
): Promise<boolean> {
  if (bot.some((id) => allowedBots?.has(id))) return true;
  const allowed = choices && resolve('bots', await choices.layers({ platform, workspace, channel })).value;
  return allowed?.some((id) => bot.includes(id)) ?? false;
}

/** What names nobody is for the bot in its own threads, unless it is to be named there too, or nowhere at all. */
async function isForUs({ addressed, thread, id }: IncomingMessage, deps: ReceiveDeps): Promise<boolean> {
  if (addressed !== 'if-member' && addressed !== 'overheard') return true;
  const { platform, workspace, channel, root } = thread;
  // Outside of threads nobody has asked or set anything yet, and most channels are chatter: one read for all in half a minute.
  const inThread = addressed === 'if-member' && { thread: { channel, root } };
  const place = { platform, workspace, channel, ...inThread };
  const isMember = addressed === 'if-member' && (await deps.turns.knows(thread, id));
  const mentions = deps.choices && resolve('mentions', await deps.choices.layers(place)).value;
  return isMember ? mentions !== 'only' : mentions === 'free';
}

/** Whether what names nobody is for the bot at the top of a channel. */
export const takesChatter = async (
  place: SettingsPlace,
  choices: Pick<SettingsStore, 'layers'>,
): Promise<boolean> => resolve('mentions', await choices.layers(place)).value === 'free';

/** The turn that a message asks for. */
export function turnOfMessage({ thread, id, author, authorWorkspace }: IncomingMessage): TurnRef {
  return { thread, message: id, asker: author, askerWorkspace: authorWorkspace };
}

/** Puts a question into the line of its thread; one with recordings goes to be heard first, and then into the line. */
export async function handOver(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  deps: Pick<ReceiveDeps, 'queue' | 'voice' | 'now' | 'recordings'>,
  more?: Pick<AskTask, 'late' | 'model'>,
): Promise<void> {
  const { recordings, others } = partRecordings({ attachments });
  if (!deps.voice || recordings.length === 0) return ask(turn, question, attachments, deps, more);
  const wish = { kind: 'ask' as const, question, attachments: others, receivedAt: deps.now() };
  await sendToHear({ v: 1, kind: 'hear', ...turn, recordings, wish }, 'ask', deps.voice, deps.recordings);
}

/**
 * Puts a question on the queue: in line with its thread, and once, however often it is sent within five minutes. `wish` tells
 * it from an earlier task of the same question, which the queue may still know.
 */
export async function ask(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  deps: Pick<ReceiveDeps, 'queue' | 'now'>,
  more: Pick<AskTask, 'model' | 'bot' | 'locale' | 'late'> = {},
  wish = more.late ? 'late' : '',
): Promise<void> {
  const receivedAt = deps.now();
  const asked = { question, attachments: [...attachments], receivedAt, ...more };
  const task: AskTask = { v: 1, kind: 'ask', ...turn, ...asked };
  await send(task, wish, deps.queue);
}

/** Queues a task in line with its thread. `wish` tells two tasks of one kind for one message apart. */
export async function send(task: Task, wish: string, queue: Queue): Promise<void> {
  const group = threadKey(task.thread);
  await queue.send(JSON.stringify(task), group, `${task.kind}#${group}#${task.message}${wish && `#${wish}`}`);
}
