import type { CommandsContext } from '../context.ts';
import {
  recordingKey,
  splitRecordings,
  type TargetMessage,
  type TaskResult,
  type TranscriptionTask,
  type UserId,
} from '../../domain/index.ts';
import { resolveAttachments } from '../../chat/index.ts';
import { findLanguageCode, getLanguageName, localize } from '../../i18n/index.ts';
import { HistoryUnavailableError } from '../../platforms/ports/index.ts';
import type { RecordingRef } from '../../storage/index.ts';
import {
  enqueueTranscription,
  requestTranscription,
  getStatusText,
  type TranscriptionRequestResult,
} from '../../voice/index.ts';
import { DONE, type InteractionRequest, replyCard, textCard } from '../framework/types.ts';
import { describeHistoryError } from './parts/request-summary.ts';

/** Modes of the speech service: a transcript for all, a translation for one person, a translation as speech for all. */
export const RECORDING_ACTIONS = ['transcribe', 'translate', 'speak'] as const;
export type RecordingAction = (typeof RECORDING_ACTIONS)[number];

/** How many messages are searched for the latest recording: a page of Discord. */
const MAX_MESSAGES = 100;

/**
 * Applies an action to the latest recording of a person in the channel or thread of the interaction. `language` is the name or
 * code of the target language. Without it, a transcript is not translated, and a translation is in the person's language.
 */
export async function runOnLatestRecording(
  request: InteractionRequest,
  { action, language }: { readonly action: RecordingAction; readonly language: string | undefined },
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const refuse = (sentence: string) => replyCard(request, textCard(sentence, 'bad'), context);
  const to = language === undefined ? undefined : toLanguageCode(language, request, context);
  if (to === null) return refuse(localize(locale, 'voice.no-language', { language: language ?? '' }));
  if (interaction.by.mayReadHistory === false) return refuse(localize(locale, 'voice.not-yours'));
  try {
    const message = await findLatestRecording(request, context);
    if (!message) return await refuse(localize(locale, 'voice.none-lately'));
    return action === 'transcribe'
      ? await transcribeMessage(request, message, to, context)
      : await translateMessage(request, message, { to, speak: action === 'speak' }, context);
  } catch (error) {
    if (!(error instanceof HistoryUnavailableError)) throw error;
    return refuse(describeHistoryError(request, error));
  }
}

/** Returns the code of a language; null if there is no such language. */
function toLanguageCode(
  language: string,
  { locale }: InteractionRequest,
  context: CommandsContext,
): string | null {
  const code = findLanguageCode(language);
  if (code === 'auto') return getReadingLanguage(context) ?? locale;
  return getLanguageName('en', code) === code ? null : code;
}

/** Finds the latest message of a person with a recording. Messages of bots may be translations that this bot spoke. */
async function findLatestRecording(
  { interaction }: InteractionRequest,
  context: CommandsContext,
): Promise<TargetMessage | undefined> {
  const { platform, workspace, channel, thread } = interaction;
  if (!channel) return undefined;
  const place = thread ?? { platform, workspace, channel };
  const { messages } = await context.platform.readHistory(place, { maxMessages: MAX_MESSAGES });
  for (const message of messages.toReversed()) {
    const { id, by: author, isBot, text, attachments: files = [] } = message;
    if (isBot || !author || files.length === 0) continue;
    const attachments = await resolveAttachments(place, files, context.platform);
    if (splitRecordings({ attachments }).recordings.length === 0) continue;
    const root = message.root ?? thread?.root ?? id;
    return { thread: { platform, workspace, channel, root }, id, author, text, attachments };
  }
  return undefined;
}

/**
 * Queues the transcription of a message's recordings, for all; with `to` also translated. If they are already transcribed,
 * replies with a link or, with `to`, translates for the person.
 */
export async function transcribeMessage(
  request: InteractionRequest,
  message: TargetMessage,
  to: string | undefined,
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const outcome = await requestTranscription(
    { message, by: interaction.by, key: `call#${interaction.id}`, to, locale },
    context,
  );
  return outcome.kind === 'known' && to !== undefined
    ? translateMessage(request, message, { to, speak: false }, context)
    : replyWithOutcome(request, outcome, context);
}

function replyWithOutcome(
  request: InteractionRequest,
  outcome: TranscriptionRequestResult,
  context: CommandsContext,
): Promise<TaskResult> {
  const { locale } = request;
  switch (outcome.kind) {
    case 'refused':
      return replyCard(request, textCard(outcome.sentence, 'bad'), context);
    case 'known':
      return replyCard(request, textCard(localize(locale, 'voice.already', { link: outcome.link })), context);
    case 'queued':
      return replyCard(request, textCard(localize(locale, 'voice.queued')), context);
  }
}

/**
 * Translates the recording of a message, into the person's language unless `to` is given, as the buttons on its card do.
 * Without a transcript, the recording is transcribed and translated for all; the speech follows.
 */
export async function translateMessage(
  request: InteractionRequest,
  message: TargetMessage,
  { to: chosen, speak }: { readonly to?: string | undefined; readonly speak: boolean },
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const { thread, id, attachments } = message;
  const [recording] = splitRecordings({ attachments }).recordings;
  if (!recording) return replyCard(request, textCard(localize(locale, 'voice.none-here'), 'bad'), context);
  const to = chosen ?? getReadingLanguage(context) ?? locale;
  const file = recordingKey(recording);
  const known = await context.transcription.recordings.find({ thread, message: id, file });
  if (!known) {
    const outcome = await requestTranscription(
      { message, by: interaction.by, key: `call#${interaction.id}`, to, locale },
      context,
    );
    if (outcome.kind !== 'queued' || !speak) return replyWithOutcome(request, outcome, context);
  }
  // Tasks of one message run in order: speech comes after the transcription.
  const recordings = [known?.source ?? recording];
  const speaker = known?.by ?? message.author;
  return enqueueTranslation({ thread, message: id }, { recordings, speaker, to, speak }, request, context);
}

type TranslationRequest = {
  readonly recordings: TranscriptionTask['recordings'];
  /** Who recorded them: their erasures apply, not those of the person who asks. */
  readonly speaker: UserId;
  readonly to: string;
  readonly speak: boolean;
};

/** Queues the translation of recordings of a message, for the person or spoken in the thread. */
export async function enqueueTranslation(
  { thread, message }: Pick<RecordingRef, 'thread' | 'message'>,
  { recordings, speaker, to, speak }: TranslationRequest,
  { interaction, locale }: InteractionRequest,
  context: CommandsContext,
): Promise<TaskResult> {
  const { user: by, workspace: askerWorkspace } = interaction.by;
  const translation = { kind: 'translate' as const, to, speak, interaction };
  const people = { asker: speaker, askerWorkspace, by };
  const work = { thread, message, ...people, recordings, locale, request: translation };
  const task: TranscriptionTask = { v: 1, kind: 'hear', ...work, requestedAt: context.time.now() };
  const key = `call#${interaction.id}${speak ? '#speak' : ''}`;
  await enqueueTranscription(task, key, context.transcription.queue);
  // Not an ephemeral message: the bot could not remove it in Slack.
  await context.messenger.showWorking(thread, getStatusText(translation, locale));
  return DONE;
}

/** Returns the language into which the person wants transcripts translated, if they chose one. */
export function getReadingLanguage({ settings }: CommandsContext): string | undefined {
  const own = settings.layers.person?.values.voiceLanguage;
  return own === 'auto' || own === 'none' ? undefined : own;
}
