import type { CommandsContext } from '../../context.ts';
import { intakeWithin, acceptQuestion } from '../../../intake/index.ts';
import {
  beginsWithMessage,
  parseRecordingPlace,
  stoppingCard,
  recordingCardKey,
  STOPPED,
  trackTranscriptMessages,
  createTranscriptFiles,
  uploadFiles,
} from '../../../voice/index.ts';
import {
  type TaskResult,
  type Interaction,
  type MessageId,
  type Thread,
  truncateToJsonBytes,
} from '../../../domain/index.ts';
import { getTranscriptText } from '../../../transcript/index.ts';
import { localize, type TextKey, getFormTexts } from '../../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../../platforms/ports/index.ts';
import type { RecordingRef } from '../../../storage/index.ts';
import { replyIfSilent } from '../ask.ts';
import { createCannotPostCard } from '../../framework/cannot-post-card.ts';
import {
  type InteractionRequest,
  DONE,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../../framework/types.ts';
import {
  enqueueTranslation,
  getReadingLanguage,
  RECORDING_ACTIONS,
  runOnLatestRecording,
} from '../recording-actions.ts';

/**
 * Handles the controls of a transcript card: `voice.translate|message|file` translates ephemerally, into the person's language or
 * the selected one; `voice.speak|message|file|language` posts a spoken translation; `voice.asked|message|file` is the modal for a
 * question; `voice.subtitles|message|file` posts text and subtitles; `voice.stop|message|file|person` stops a running transcription that this person requested.
 * `message` may name the root of its conversation too: see `toRecordingArgs`. `voice.last|action` is not about a card, but about the latest recording; the selection is the target language.
 */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, interaction, locale } = request;
  const [place = '', file, language] = payload.action.args;
  const last = RECORDING_ACTIONS.find((one) => one === place);
  if (payload.action.name === 'voice.last' && last && payload.kind === 'action')
    return runOnLatestRecording(request, { action: last, language: payload.chosen[0] }, context);
  const { message, root } = parseRecordingPlace(place);
  const thread = getThread(interaction, root);
  if (!message || !file || !thread) return replyStale(request, context);
  const ref = { thread, message, file };
  if (payload.action.name === 'voice.stop') return stopTranscription(ref, request, context);
  const known = await context.transcription.recordings.find(ref);
  if (!known) return replyCard(request, textCard(localize(locale, 'voice.gone'), 'bad'), context);
  if (payload.action.name === 'voice.subtitles')
    return uploadSubtitles(ref, known.source.name, request, context);
  if (payload.kind === 'form')
    return askAboutRecording(ref, payload.values['question'] ?? '', request, context);
  const to = language ?? payload.chosen[0] ?? getReadingLanguage(context) ?? locale;
  return enqueueTranslation(
    ref,
    {
      recordings: [known.source],
      speaker: known.by,
      to,
      speak: payload.action.name === 'voice.speak',
    },
    request,
    context,
  );
};

/**
 * Uploads the transcript as text and subtitles (VTT and SRT) to the thread. Pressed again, it uploads nothing. The files are
 * deleted with the recording.
 */
async function uploadSubtitles(
  ref: RecordingRef,
  name: string,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { recordings } = context.transcription;
  const files = createTranscriptFiles(await recordings.listChunks(ref), name, request.locale);
  const { messages, all } = await uploadFiles(
    ref.thread,
    files,
    `subtitles#${ref.message}#${ref.file}`,
    context,
  );
  await trackTranscriptMessages(ref, messages, { ...context, recordings });
  if (all) return DONE;
  return replyCard(request, textCard(localize(request.locale, 'voice.no-files'), 'bad'), context);
}

/** Stops a transcription. Allowed for the requester, the speaker and admins. Updates the card immediately. */
async function stopTranscription(
  ref: RecordingRef,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { payload, interaction, locale, admin } = request;
  const { recordings } = context.transcription;
  const [signal, known] = await Promise.all([recordings.readSignal(ref), recordings.find(ref)]);
  const no = (why: TextKey) => replyCard(request, textCard(localize(locale, why), 'bad'), context);
  if (signal?.recordedBy === undefined) return no('voice.gone');
  const { user } = interaction.by;
  if (!admin && user !== payload.action.args[2] && user !== signal.recordedBy)
    return no('voice.stop-not-yours');
  if (known && known.partial !== STOPPED) return no('voice.written-already');
  await recordings.stop(ref, user);
  if (payload.kind !== 'action' || payload.card === undefined) return DONE;
  // May fail: the transcription task updates the card again.
  const card = stoppingCard(await recordings.listChunks(ref), locale);
  await context.messenger
    .postCard(ref.thread, card, recordingCardKey(ref), payload.card)
    .catch(() => undefined);
  return DONE;
}

/** The most bytes (JSON) of a transcript that a question quotes: half an hour of English. Longer, it would not fit into the history of its thread. */
const MAX_QUOTED_BYTES = 24_000;

/** Quotes a transcript. If it is cut, the model is told, so that it does not deny what was said later. */
function quoteTranscript(transcript: string): string {
  const excerpt = truncateToJsonBytes(transcript, MAX_QUOTED_BYTES);
  const quoted = excerpt.replaceAll(/^/gmu, '> ');
  return excerpt === transcript
    ? quoted
    : `${quoted}\n\n(These are the first ${excerpt.length} of ${transcript.length} characters of the transcript.)`;
}

/**
 * Posts a question about a recording publicly in its thread. Quotes the transcript, so that it becomes part of the thread's
 * history.
 */
async function askAboutRecording(
  ref: RecordingRef,
  question: string,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const silence = replyIfSilent(request, context);
  if (silence) return silence;
  const { user: author, workspace: authorWorkspace } = interaction.by;
  const trimmedQuestion = question.trim();
  const transcript = getTranscriptText(await context.transcription.recordings.listChunks(ref));
  if (trimmedQuestion === '') return DONE;
  // A conversation that began with a command belongs to its person: others ask in their own.
  const thread = beginsWithMessage(ref.thread.root) ? ref.thread : (interaction.ownThread ?? ref.thread);
  try {
    const card = { ...textCard(trimmedQuestion), by: author };
    const id = await context.messenger.postCard(thread, card, `asked#${interaction.id}`);
    const message = { thread, id, author, authorWorkspace, attachments: [] };
    const text = `${trimmedQuestion}\n\n${getFormTexts(locale)('message')}\n${quoteTranscript(transcript)}`;
    await acceptQuestion({ ...message, text, addressed: 'mention' }, intakeWithin(context));
    return DONE;
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    return replyCard(request, createCannotPostCard(request, error), context);
  }
}

/** Returns the thread of the card. An interaction with an ephemeral message may not name its thread. */
function getThread(
  { platform, workspace, channel, thread }: Interaction,
  root: MessageId,
): Thread | undefined {
  if (thread || !channel || !root) return thread;
  return { platform, workspace, channel, root };
}
