import {
  type AskTask,
  type Attachment,
  type IncomingMessage,
  partRecordings,
  threadKey,
  type TurnRef,
} from '../domain/index.ts';
import { resolve } from '../settings/rules/index.ts';
import { enqueueDeletion, enqueueQuestion } from '../task-queue/enqueue.ts';
import type { Queue } from '../aws/sqs-queue.ts';
import type { Clock } from '../runtime/time.ts';
import type { TurnIntake, SettingsPlace, SettingsStore } from '../storage/index.ts';
import {
  autoTranscribe,
  type AutoTranscribeContext,
  enqueueTranscription,
} from '../voice/auto-transcribe.ts';

export type AcceptQuestionContext = AutoTranscribeContext & {
  /** Of the messages that this process took in a moment ago: Slack tells twice of one that names the bot. Absent: nobody keeps them. */
  readonly taken?: { readonly get: (key: string, take: () => Promise<'queued'>) => Promise<'queued'> };
  /** Bots that may ask wherever they are; others need a channel that allows them. */
  readonly allowedBots?: ReadonlySet<string> | undefined;
  readonly turns: Pick<TurnIntake, 'knows' | 'accept' | 'dropDeleted' | 'markUnsent'>;
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
export async function acceptQuestion(
  message: IncomingMessage,
  context: AcceptQuestionContext,
  more: Pick<AskTask, 'late' | 'model'> = {},
): Promise<'queued' | 'ignored'> {
  const { bot } = message;
  if (bot && !(await mayAsk(bot, message, context))) return 'ignored';
  if (!(await isForBot(message, context))) return autoTranscribe(message, context);

  const { taken } = context;
  if (!taken || more.late) return recordQuestion(message, context, more);
  return taken.get(`${threadKey(message.thread)}#${message.id}`, () =>
    recordQuestion(message, context, more),
  );
}

async function recordQuestion(
  message: IncomingMessage,
  context: AcceptQuestionContext,
  more: Pick<AskTask, 'late' | 'model'>,
): Promise<'queued'> {
  const { bot, text, attachments } = message;
  const turn = turnOfMessage(message);
  try {
    if (await context.turns.accept(turn, text, attachments)) more = { ...more, late: true };
    else if (await context.turns.dropDeleted(turn)) {
      await enqueueDeletion(turn, context.queue);
      return 'queued';
    }
    // Sent even if the record was there before: it does not tell whether the task reached the queue that time.
    await (bot
      ? enqueueQuestion(turn, text, attachments, context, { bot: true, ...more })
      : routeQuestion(turn, text, attachments, context, more));
  } catch (error) {
    const dueMs = context.now() + UNSENT_AFTER_MS;
    // The sweeper queues it as a person's; what a bot asked is left to the platform, which delivers it again.
    if (!bot) await context.turns.markUnsent(turn, text, attachments, dueMs).catch(() => undefined);
    throw error;
  }
  return 'queued';
}

/** Whether another bot is one of those that may ask there. */
async function mayAsk(
  bot: readonly string[],
  { thread: { platform, workspace, channel } }: IncomingMessage,
  { allowedBots, settingsStore: choices }: AcceptQuestionContext,
): Promise<boolean> {
  if (bot.some((id) => allowedBots?.has(id))) return true;
  const allowed = choices && resolve('bots', await choices.layers({ platform, workspace, channel })).value;
  return allowed?.some((id) => bot.includes(id)) ?? false;
}

/** What names nobody is for the bot in its own threads, unless it is to be named there too, or nowhere at all. */
async function isForBot(
  { addressed, thread, id }: IncomingMessage,
  context: AcceptQuestionContext,
): Promise<boolean> {
  if (addressed !== 'if-member' && addressed !== 'overheard') return true;
  const { platform, workspace, channel, root } = thread;
  // Outside of threads nobody has asked or set anything yet, and most channels are chatter: one read for all in half a minute.
  const inThread = addressed === 'if-member' && { thread: { channel, root } };
  const place = { platform, workspace, channel, ...inThread };
  const isMember = addressed === 'if-member' && (await context.turns.knows(thread, id));
  const mentions =
    context.settingsStore && resolve('mentions', await context.settingsStore.layers(place)).value;
  return isMember ? mentions !== 'only' : mentions === 'free';
}

/** Whether what names nobody is for the bot at the top of a channel. */
export const acceptsUnaddressed = async (
  place: SettingsPlace,
  choices: Pick<SettingsStore, 'layers'>,
): Promise<boolean> => resolve('mentions', await choices.layers(place)).value === 'free';

/** The turn that a message asks for. */
export function turnOfMessage({ thread, id, author, authorWorkspace }: IncomingMessage): TurnRef {
  return { thread, message: id, asker: author, askerWorkspace: authorWorkspace };
}

/** Puts a question into the line of its thread; one with recordings goes to be heard first, and then into the line. */
export async function routeQuestion(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  context: Pick<AcceptQuestionContext, 'queue' | 'voice' | 'now' | 'recordings'>,
  more?: Pick<AskTask, 'late' | 'model'>,
): Promise<void> {
  const { recordings, others } = partRecordings({ attachments });
  if (!context.voice || recordings.length === 0)
    return enqueueQuestion(turn, question, attachments, context, more);
  const wish = { kind: 'ask' as const, question, attachments: others, receivedAt: context.now() };
  await enqueueTranscription(
    { v: 1, kind: 'hear', ...turn, recordings, wish },
    'ask',
    context.voice,
    context.recordings,
  );
}
