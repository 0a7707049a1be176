import {
  type Attachment,
  type TranscriptionTask,
  type MessageId,
  splitRecordings,
  recordingKey,
  type Thread,
  type UserId,
  type WorkspaceId,
} from '../domain/index.ts';
import { resolve } from '../settings/rules/index.ts';
import { type ChatContext, resolveAttachments } from '../chat/index.ts';
import { type Locale, localize } from '../i18n/index.ts';
import { toErasedUntil } from '../platforms/index.ts';
import { enqueueTranscription, getTranscriptionOptions } from './auto-transcribe.ts';
import { isRecordingErased } from './transcription/forget.ts';
import { STOPPED } from './transcription/stop.ts';

/** A person's request to transcribe the recordings of a message. */
export type TranscriptionRequest = {
  readonly message: {
    readonly thread: Thread;
    readonly id: MessageId;
    readonly author: UserId;
    readonly attachments: readonly Attachment[];
  };
  readonly by: { readonly user: UserId; readonly workspace: WorkspaceId };
  /** Deduplicates the request. */
  readonly key: string;
  /** The language of the translation (BCP 47); overrides the settings. No effect on existing transcripts. */
  readonly to?: string | undefined;
  readonly locale: Locale;
};

export type TranscriptionRequestResult =
  /** `sentence`: the reason, for the requester. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** All are already transcribed; `link` leads to the transcript. */
  | { readonly kind: 'known'; readonly link: string }
  | { readonly kind: 'queued' };

export type RequestTranscriptionContext = Pick<
  ChatContext,
  'transcription' | 'settings' | 'settingsStore' | 'messenger' | 'platform' | 'erasureMoments' | 'time'
>;

/** Queues the transcription of a message's recordings, unless it is already there. */
export async function requestTranscription(
  request: TranscriptionRequest,
  context: RequestTranscriptionContext,
): Promise<TranscriptionRequestResult> {
  const { message, by, key, to, locale } = request;
  const { thread, id, author } = message;
  const attachments = await resolveAttachments(thread, message.attachments, context.platform);
  const [first, ...more] = splitRecordings({ attachments }).recordings;
  if (!first) return { kind: 'refused', sentence: localize(locale, 'voice.none-here') };
  const refusal = await findRefusalSentence(request, context);
  if (refusal !== undefined) return { kind: 'refused', sentence: refusal };
  const link = await findTranscriptLink(request, [first, ...more], context);
  if (link !== undefined) return { kind: 'known', link };
  const task: TranscriptionTask = {
    v: 1,
    kind: 'hear',
    thread,
    message: id,
    asker: author,
    askerWorkspace: by.workspace,
    by: by.user,
    recordings: [first, ...more],
    requestedAt: context.time.now(),
    locale,
    request: {
      kind: 'show',
      ...getTranscriptionOptions(context.settings.layers),
      ...(to === undefined ? {} : { to }),
    },
  };
  const { queue, recordings } = context.transcription;
  // A new request cancels an earlier Stop.
  for (const recording of task.recordings)
    await recordings.resume({ thread, message: id, file: recordingKey(recording) });
  await enqueueTranscription(task, key, queue, recordings);
  return { kind: 'queued' };
}

/** Returns why these recordings are not transcribed: it is off here, their speaker has opted out, or they are from before an erasure. */
async function findRefusalSentence(
  { message, by, locale }: TranscriptionRequest,
  context: RequestTranscriptionContext,
): Promise<string | undefined> {
  if (resolve('voice', context.settings.layers).value === 'off')
    return localize(locale, 'voice.switched-off');
  // The worker would drop the task.
  if (await isRecordingErased(message, toErasedUntil(context.erasureMoments)))
    return localize(locale, 'voice.gone');
  const { author: user, thread } = message;
  if (user === by.user) return undefined;
  const { platform, workspace, channel } = thread;
  const authorLayers = await context.settingsStore.layers({ platform, workspace, channel, user });
  const hasOptedOut = resolve('voiceOptOut', authorLayers).value === true;
  return hasOptedOut ? localize(locale, 'voice.theirs') : undefined;
}

/** Returns the link to the transcript card; undefined unless all recordings are transcribed completely. */
async function findTranscriptLink(
  { message: { thread, id } }: TranscriptionRequest,
  recordings: readonly Attachment[],
  context: RequestTranscriptionContext,
): Promise<string | undefined> {
  let card: MessageId | undefined;
  for (const recording of recordings) {
    const stored = await context.transcription.recordings.find({
      thread,
      message: id,
      file: recordingKey(recording),
    });
    if (!stored || stored.partial === STOPPED) return undefined;
    card ??= stored.card;
  }
  if (card === undefined) return undefined;
  // A deleted card has no permalink: then it is posted again.
  return context.messenger.getPermalink(thread, card).catch(() => undefined);
}
