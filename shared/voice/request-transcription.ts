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
import { type Locale, localize } from '../i18n/index.ts';
import { resolveAttachments } from '../chat/prompt/resolve-attachments.ts';
import { enqueueTranscription, transcriptionOptions } from './auto-transcribe.ts';
import type { WorkerContext } from '../context/ports.ts';
import { STOPPED } from './transcription/stop.ts';

/** A message whose recordings somebody wants written out. */
export type TranscriptionRequest = {
  readonly message: {
    readonly thread: Thread;
    readonly id: MessageId;
    readonly author: UserId;
    readonly attachments: readonly Attachment[];
  };
  readonly by: { readonly user: UserId; readonly workspace: WorkspaceId };
  /** Tells one wish from the next. */
  readonly key: string;
  /** A second language (BCP 47), in place of that of the settings. */
  readonly to?: string | undefined;
  readonly locale: Locale;
};

export type TranscriptionRequestResult =
  /** `sentence` says to people why not. */
  | { readonly kind: 'refused'; readonly sentence: string }
  /** All are written out already, where `link` leads. */
  | { readonly kind: 'known'; readonly link: string }
  | { readonly kind: 'queued' };

export type RequestTranscriptionContext = Pick<
  WorkerContext,
  'transcription' | 'settings' | 'settingsStore' | 'messenger' | 'platform' | 'time'
>;

/** Has the recordings of a message written out under it, unless they are already. */
export async function requestTranscription(
  wanted: TranscriptionRequest,
  context: RequestTranscriptionContext,
): Promise<TranscriptionRequestResult> {
  const { message, by, key, to, locale } = wanted;
  const { thread, id, author } = message;
  const attachments = await resolveAttachments(thread, message.attachments, context.platform);
  const [first, ...more] = splitRecordings({ attachments }).recordings;
  if (!first) return { kind: 'refused', sentence: localize(locale, 'voice.none-here') };
  const refusal = await refusalOf(wanted, context);
  if (refusal !== undefined) return { kind: 'refused', sentence: refusal };
  const link = to === undefined ? await known(wanted, [first, ...more], context) : undefined;
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
    at: context.time.now(),
    locale,
    wish: {
      kind: 'show',
      ...transcriptionOptions(context.settings.layers),
      ...(to === undefined ? {} : { to }),
    },
  };
  const { queue, recordings: noted } = context.transcription;
  // Whoever asks for it takes a Stop back.
  for (const one of task.recordings) await noted.resume({ thread, message: id, file: recordingKey(one) });
  await enqueueTranscription(task, key, queue, noted);
  return { kind: 'queued' };
}

/** Why these recordings are not written out here: it is switched off, or whoever recorded them does not want it. */
async function refusalOf(
  { message, by, locale }: TranscriptionRequest,
  context: RequestTranscriptionContext,
): Promise<string | undefined> {
  if (resolve('voice', context.settings.layers).value === 'off')
    return localize(locale, 'voice.switched-off');
  const { author: user, thread } = message;
  if (user === by.user) return undefined;
  const { platform, workspace, channel } = thread;
  const theirs = await context.settingsStore.layers({ platform, workspace, channel, user });
  const optedOut = resolve('voiceOptOut', theirs).value === true;
  return optedOut ? localize(locale, 'voice.theirs') : undefined;
}

/** Where the words of the message's recordings stand, once all are written out. */
async function known(
  { message: { thread, id } }: TranscriptionRequest,
  recordings: readonly Attachment[],
  context: RequestTranscriptionContext,
): Promise<string | undefined> {
  let card: MessageId | undefined;
  for (const one of recordings) {
    const found = await context.transcription.recordings.find({
      thread,
      message: id,
      file: recordingKey(one),
    });
    if (!found || found.partial === STOPPED) return undefined;
    card ??= found.card;
  }
  if (card === undefined) return undefined;
  // A card that was deleted has no address: then it is written once more.
  return context.messenger.getPermalink(thread, card).catch(() => undefined);
}
