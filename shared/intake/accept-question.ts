import {
  type AskTask,
  type Attachment,
  type IncomingMessage,
  splitRecordings,
  threadKey,
  type TurnRef,
} from '../domain/index.ts';
import { enqueueDeletion, enqueueQuestion } from '../task-queue/index.ts';
import { resolve } from '../settings/rules/index.ts';
import { autoTranscribe, type AutoTranscribeContext, enqueueTranscription } from '../voice/index.ts';
import type { Queue } from '../aws/index.ts';
import type { Clock } from '../runtime/index.ts';
import type { TurnIntake, SettingsPlace, SettingsStore } from '../storage/index.ts';

export type AcceptQuestionContext = AutoTranscribeContext & {
  /** The messages that this process accepted a moment ago: Slack sends two events for a message that mentions the bot. */
  readonly recentMessages: {
    readonly get: (key: string, accept: () => Promise<'queued'>) => Promise<'queued'>;
  };
  /** Bots that may ask everywhere; others need a channel that allows them. */
  readonly allowedBots: ReadonlySet<string>;
  readonly turns: Pick<TurnIntake, 'isParticipating' | 'accept' | 'dropDeleted' | 'markUnsent'>;
  readonly queue: Queue;
  readonly now: Clock;
};

type TaskFields = Pick<
  AskTask,
  'late' | 'editedAt' | 'edit' | 'model' | 'hidden' | 'searchToken' | 'mayHaveFiles'
>;

/** Of a platform that sends one event for each message. */
export const everyMessageIsNew: AcceptQuestionContext['recentMessages'] = { get: (_, accept) => accept() };

/** When the sweeper retries after the queue failed; the platform's own first retries come earlier. */
const UNSENT_RETRY_DELAY_MS = 90_000;

/**
 * Accepts a message: writes one record to the table, then sends one task to the queue. If it rejects, the
 * platform must deliver the message again; this is safe, because both steps are idempotent. `model`: the model to
 * use.
 */
export async function acceptQuestion(
  message: IncomingMessage,
  context: AcceptQuestionContext,
  taskFields: Pick<AskTask, 'model'> = {},
): Promise<'queued' | 'ignored'> {
  const { bot } = message;
  if (bot && !(await isAllowedBot(bot, message, context))) return 'ignored';
  if (!(await isForBot(message, context))) return autoTranscribe(message, context);

  return context.recentMessages.get(`${threadKey(message.thread)}#${message.id}`, async () => {
    const { searchToken, isHidden: hidden } = message;
    await recordQuestion(message, context, { ...taskFields, searchToken, hidden });
    return 'queued';
  });
}

/**
 * Accepts the text of an edit event as a question, if its message was not recorded. Resolves with `recorded` if it
 * was: from its original event, or from another edit.
 */
export async function acceptEditedMessage(
  message: IncomingMessage,
  { edit, editedAt }: Required<Pick<AskTask, 'edit' | 'editedAt'>>,
  context: AcceptQuestionContext,
): Promise<'queued' | 'recorded' | 'ignored'> {
  if (message.bot && !(await isAllowedBot(message.bot, message, context))) return 'ignored';
  return recordQuestion(message, context, { late: true, editedAt, edit });
}

async function recordQuestion(
  message: IncomingMessage,
  context: AcceptQuestionContext,
  taskFields: TaskFields,
): Promise<'queued' | 'recorded'> {
  const { bot, text, attachments, mayHaveFiles } = message;
  const turn = getTurnRef(message);
  const { edit } = taskFields;
  taskFields = { ...taskFields, mayHaveFiles };
  try {
    const { isLate, isNew } = await context.turns.accept(turn, text, attachments, edit, mayHaveFiles);
    // Its task, or a later one, is queued by whoever recorded it.
    if (edit !== undefined && !isNew) return 'recorded';
    if (isLate) taskFields = { ...taskFields, late: true };
    else if (await context.turns.dropDeleted(turn)) {
      await enqueueDeletion(turn, context.queue);
      return 'queued';
    }
    // Sent even if the record existed: it does not say whether the task reached the queue.
    await (bot
      ? enqueueQuestion(turn, text, attachments, context, { bot: true, ...taskFields })
      : routeQuestion(turn, text, attachments, context, taskFields));
  } catch (error) {
    const dueMs = context.now() + UNSENT_RETRY_DELAY_MS;
    // The sweeper would queue it as a person's question. For a bot's question, the platform's redelivery is
    // enough.
    const files = mayHaveFiles ? [] : attachments[0] && attachments;
    if (!bot) await context.turns.markUnsent(turn, text, files, dueMs, edit).catch(() => undefined);
    throw error;
  }
  return 'queued';
}

/** Whether this bot may ask in this channel. */
async function isAllowedBot(
  bot: readonly string[],
  { thread: { platform, workspace, channel } }: IncomingMessage,
  { allowedBots, settingsStore }: AcceptQuestionContext,
): Promise<boolean> {
  if (bot.some((id) => allowedBots.has(id))) return true;
  const allowed = resolve('bots', await settingsStore.layers({ platform, workspace, channel })).value;
  return allowed?.some((id) => bot.includes(id)) ?? false;
}

/**
 * Whether a message is for the bot. A message without a mention is, in threads of the bot, unless the settings
 * require a mention; elsewhere only if the settings allow it.
 */
async function isForBot(
  { addressed, thread, id }: IncomingMessage,
  context: AcceptQuestionContext,
): Promise<boolean> {
  if (addressed !== 'if-member' && addressed !== 'none') return true;
  const { platform, workspace, channel, root } = thread;
  // Outside of threads there are no thread settings, and most messages are not for the bot: one cached read per
  // channel is enough for 30 s.
  const inThread = addressed === 'if-member' && { thread: { channel, root } };
  const place = { platform, workspace, channel, ...inThread };
  const isMember = addressed === 'if-member' && (await context.turns.isParticipating(thread, id));
  const mentions = resolve('mentions', await context.settingsStore.layers(place)).value;
  return isMember ? mentions !== 'only' : mentions === 'free';
}

/** Whether top-level messages of a channel need no mention. */
export const acceptsUnaddressed = async (
  place: SettingsPlace,
  settingsStore: Pick<SettingsStore, 'layers'>,
): Promise<boolean> => resolve('mentions', await settingsStore.layers(place)).value === 'free';

/** Returns the turn of a message. */
export function getTurnRef({ thread, id, author, authorWorkspace }: IncomingMessage): TurnRef {
  return { thread, message: id, asker: author, askerWorkspace: authorWorkspace };
}

/** Queues a question in its thread's message group. One with recordings goes to transcription first, unless its other files are not known yet. */
export async function routeQuestion(
  turn: TurnRef,
  question: string,
  attachments: readonly Attachment[],
  context: Pick<AcceptQuestionContext, 'queue' | 'transcriptionQueue' | 'now' | 'recordings'>,
  taskFields: TaskFields = {},
): Promise<void> {
  const { recordings, others } = splitRecordings({ attachments });
  if (recordings.length === 0 || taskFields.mayHaveFiles)
    return enqueueQuestion(turn, question, attachments, context, taskFields);
  const { edit, model } = taskFields;
  const request = {
    kind: 'ask' as const,
    question,
    attachments: others,
    receivedAt: context.now(),
    edit,
    model,
  };
  await enqueueTranscription(
    { v: 1, kind: 'hear', ...turn, recordings, request },
    'ask',
    context.transcriptionQueue,
    context.recordings,
  );
}
