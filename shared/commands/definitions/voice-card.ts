import type { CommandsContext } from '../context.ts';
import { intakeWithin, acceptQuestion } from '../../intake/index.ts';
import {
  enqueueTranscription,
  stoppingCard,
  recordingCardKey,
  statusText,
  STOPPED,
} from '../../voice/index.ts';
import {
  type TaskResult,
  type TranscriptionTask,
  type Interaction,
  messageId,
  type Thread,
} from '../../domain/index.ts';
import { getTranscriptText } from '../../transcript/index.ts';
import { localize, type TextKey, getFormTexts } from '../../i18n/index.ts';
import { CannotPostError, ThreadDeletedError } from '../../platforms/ports/index.ts';
import type { RecordingRef } from '../../storage/index.ts';
import { createCannotPostCard } from '../framework/cannot-post-card.ts';
import {
  type InteractionRequest,
  DONE,
  type CommandHandler,
  staleReply,
  replyCard,
  textCard,
} from '../framework/types.ts';

/**
 * The controls under the words of a recording: `voice.translate|message|file`, for who pressed alone, into their own
 * language or the one chosen; `voice.speak|message|file|language`, for all to hear; `voice.asked|message|file`, the form that
 * asks about it; `voice.stop|message|file|person`, while they are written out for that person.
 */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (request, context) => {
  const { payload, interaction, locale } = request;
  const [message, file, spoken] = payload.action.args;
  const thread = getThread(interaction, message);
  if (!message || !file || !thread) return staleReply(request, context);
  const ref = { thread, message: messageId(message), file };
  if (payload.action.name === 'voice.stop') return stopTranscription(ref, request, context);
  const known = await context.transcription.recordings.find(ref);
  if (!known) return replyCard(request, textCard(localize(locale, 'voice.gone'), 'bad'), context);
  if (payload.kind === 'form')
    return askAboutRecording(ref, payload.values['question'] ?? '', request, context);
  const { user: asker, workspace: askerWorkspace } = interaction.by;
  const wish = {
    kind: 'translate' as const,
    to: spoken ?? payload.chosen[0] ?? getReadingLanguage(context) ?? locale,
    speak: payload.action.name === 'voice.speak',
    invocation: interaction,
  };
  const task: TranscriptionTask = {
    v: 1,
    kind: 'hear',
    thread,
    message: ref.message,
    asker,
    askerWorkspace,
    recordings: [known.source],
    locale,
    wish,
  };
  await enqueueTranscription(task, `call#${interaction.id}`, context.transcription.queue);
  // Not a message of its own: nothing could take that away again in Slack.
  await context.messenger.showWorking(thread, statusText(wish, locale));
  return DONE;
};

/** No more of a recording is written out, for who asked for it, who recorded it, and admins: its card says so at once. */
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
  // Not vital: whoever writes it out changes the card once more.
  const card = stoppingCard(await recordings.listChunks(ref), locale);
  await context.messenger
    .postCard(ref.thread, card, recordingCardKey(ref), payload.card)
    .catch(() => undefined);
  return DONE;
}

/** What of a recording goes along with a question about it. */
const MAX_QUOTED_LENGTH = 8_000;

/**
 * A question about a recording, put into its thread for all to see. What was said goes along with it, so that it is known
 * also where the thread has been answered in before, and from then on.
 */
async function askAboutRecording(
  ref: RecordingRef,
  question: string,
  request: InteractionRequest<'action' | 'form'>,
  context: CommandsContext,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const { user: author, workspace: authorWorkspace } = interaction.by;
  const asked = question.trim();
  const said = getTranscriptText(await context.transcription.recordings.listChunks(ref));
  if (asked === '') return DONE;
  const quoted = said.slice(0, MAX_QUOTED_LENGTH).toWellFormed().replaceAll(/^/gmu, '> ');
  try {
    const card = { ...textCard(asked), by: author };
    const id = await context.messenger.postCard(ref.thread, card, `asked#${interaction.id}`);
    const message = { thread: ref.thread, id, author, authorWorkspace, attachments: [] };
    const text = `${asked}\n\n${getFormTexts(locale)('message')}\n${quoted}`;
    await acceptQuestion({ ...message, text, addressed: 'mention' }, intakeWithin(context));
    return DONE;
  } catch (error) {
    if (!(error instanceof CannotPostError || error instanceof ThreadDeletedError)) throw error;
    return replyCard(request, createCannotPostCard(request), context);
  }
}

/** The language that a person chose to read recordings in. */
function getReadingLanguage({ settings }: CommandsContext): string | undefined {
  const own = settings.layers.person?.values.voiceLanguage;
  return own === 'auto' || own === 'none' ? undefined : own;
}

/** The thread of the card: what is pressed on what one person alone sees may not tell of it. */
function getThread(
  { platform, workspace, channel, thread }: Interaction,
  message: string | undefined,
): Thread | undefined {
  if (thread || !channel || !message) return thread;
  return { platform, workspace, channel, root: messageId(message) };
}
