import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as v from 'valibot';
import { type CardFile, type MessageId, messageId, type Thread } from '../../../domain/index.ts';
import {
  CannotPostError,
  FileUnavailableError,
  type CardMessenger,
  ThreadDeletedError,
  type Upload,
} from '../../ports/index.ts';
import { sanitize } from '../../markdown/index.ts';
import { getErrorFacts } from '../../../utils/index.ts';
import { getRefusalReason, isPermanent } from '../api/errors.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { toMrkdwn } from '../blocks/mrkdwn.ts';
import { RetryTimeoutError, retryDelay, retrySlack } from '../api/retry.ts';
import type { PostRecords } from './post-records.ts';
import { type SendBytes, sendBytes } from './upload-bytes.ts';

/** The timeout for one file with all retries, including its bytes. */
const TIMEOUT_MS = 150_000;
/** How long Slack may take to show a file that it has accepted. */
const SHOWN_TIMEOUT_MS = 20_000;
type Refusal = 'full' | 'off' | 'pictures-only' | 'type' | 'size' | 'scope' | 'not-attached';
/**
 * Slack's errors that a retry does not resolve, though the channel may accept messages, and the text for each. Source:
 * docs.slack.dev/reference/methods/files.getUploadURLExternal, files.completeUploadExternal.
 */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  storage_limit_reached: 'full',
  file_uploads_disabled: 'off',
  file_uploads_except_images_disabled: 'pictures-only',
  file_type_not_allowed: 'type',
  blocked_file_type: 'type',
  file_upload_size_restricted: 'size',
  snippet_too_large: 'size',
  unknown_snippet_type: 'type',
  missing_scope: 'scope',
  posting_to_channel_denied: 'not-attached',
  invalid_channel: 'not-attached',
  access_denied: 'not-attached',
};

const place = v.object({ upload_url: v.string(), file_id: v.string() });
const shared = v.object({ ts: v.string(), thread_ts: v.optional(v.string()) });
type Share = v.InferOutput<typeof shared>;
const byChannel = v.nullish(v.record(v.string(), v.array(shared)));
const info = v.object({
  file: v.object({ shares: v.nullish(v.object({ public: byChannel, private: byChannel })) }),
});
export type UploadDeps = Pick<SlackDeps, 'call' | 'time' | 'log'> & {
  /** The allowed origins of upload URLs. They get the bytes, but no token. */
  readonly origins: readonly string[];
  readonly posts: PostRecords;
  /** Sends the bytes to an upload URL. Default: over the network. */
  readonly sendBytes?: SendBytes | undefined;
};

/**
 * Uploads files to threads: requests an upload URL, streams the bytes, and shares the file. The file id is recorded with the key before the
 * bytes are sent, so that a retry finds the file in the thread and does not send it again. Resolves with the message once Slack returns it.
 */
export function createUploader(deps: UploadDeps): Pick<CardMessenger, 'upload' | 'findUploads'> & {
  /** Uploads files without sharing them in a channel. Resolves with their ids. Rejects with FileUnavailableError. */
  readonly keep: (files: readonly CardFile[]) => Promise<string[]>;
} {
  return {
    keep: (files) => keep(files, deps),
    upload: (...what) => upload(deps, ...what),
    findUploads: async (thread, key) => {
      const ids = (await deps.posts.find(thread, key))?.files ?? [];
      const messages = await Promise.all(ids.map((id) => findMessageWithFile(id, thread, deps)));
      return messages.flatMap((one) => one ?? []).toSorted();
    },
  };
}

const createRetryOptions = ({ time }: UploadDeps) => ({ time, deadline: time.now() + TIMEOUT_MS });

async function upload(deps: UploadDeps, thread: Thread, file: Upload, key: string): Promise<MessageId> {
  const { call, posts } = deps;
  const before = await posts.find(thread, key);
  for (const sent of before?.files ?? []) {
    const there = await findMessageWithFile(sent, thread, deps);
    if (there) return there;
  }
  const named = { ...file, name: addKeyToName(file.name, key) };
  try {
    const id = await sendFile(named, createRetryOptions(deps), deps, (sent) =>
      posts.addFile(thread, key, sent),
    );
    await call('files.completeUploadExternal', {
      files: [{ id, title: file.name }],
      channel_id: thread.channel,
      thread_ts: thread.root,
      ...createComment(file),
    });
    return await waitForMessage(id, thread, deps);
  } catch (error) {
    throw toPortError(error);
  }
}

async function keep(files: readonly CardFile[], deps: UploadDeps): Promise<string[]> {
  const retryOptions = createRetryOptions(deps);
  try {
    const sent: { readonly id: string; readonly title: string }[] = [];
    for (const { name, content } of files) {
      const file = { name, bytes: content.byteLength, content: Readable.from([content]) };
      sent.push({ id: await sendFile(file, retryOptions, deps), title: name });
    }
    await deps.call('files.completeUploadExternal', { files: sent });
    return sent.map(({ id }) => id);
  } catch (error) {
    throw toPortError(error);
  }
}

/** Requests an upload URL, and sends the bytes there. Resolves with the file id. Rejects with FileUnavailableError. */
async function sendFile(
  file: Pick<Upload, 'name' | 'bytes' | 'content' | 'snippetType'>,
  retryOptions: ReturnType<typeof createRetryOptions>,
  { call, origins, sendBytes: send = sendBytes }: UploadDeps,
  before: (id: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const snippet = file.snippetType === undefined ? {} : { snippet_type: file.snippetType };
  const fileFields = { filename: file.name, length: file.bytes, ...snippet };
  const reserve = () => call('files.getUploadURLExternal', fileFields).catch(toFileError);
  const reserved = await retrySlack(reserve, retryOptions);
  if (reserved instanceof FileUnavailableError) throw reserved;
  const { upload_url: url, file_id: id } = v.parse(place, reserved);
  await before(id);
  await send(url, file, origins);
  return id;
}

/** `video.mp4` as `video-1a2b3c4d5e.mp4`: the same for the same key. */
function addKeyToName(name: string, key: string): string {
  const tag = createHash('sha256').update(key).digest('hex').slice(0, 10);
  return name.replace(/(\.\w+)?$/u, `-${tag}$1`);
}

/** The comment above a file. It is mrkdwn, in which unsanitized text could mention the whole channel. */
function createComment({ by, words }: Upload): { readonly initial_comment?: string } {
  const introduction = [
    ...(by === undefined ? [] : [`<@${by}>`]),
    ...(words === undefined ? [] : [toMrkdwn(sanitize(words))]),
  ];
  return introduction.length === 0 ? {} : { initial_comment: introduction.join('\n') };
}

/** Returns the FileUnavailableError for one of `REFUSALS`. Rethrows other errors. */
function toFileError(error: unknown): FileUnavailableError {
  const reason = error instanceof SlackApiError ? REFUSALS[error.code] : undefined;
  if (reason === undefined) throw error;
  return new FileUnavailableError([`files.upload.${reason}`]);
}

function toPortError(error: unknown): unknown {
  if (!(error instanceof SlackApiError)) return error;
  if (error.code in REFUSALS) return toFileError(error);
  if (error.code === 'thread_not_found' || error.code === 'message_not_found')
    return new ThreadDeletedError(error.code);
  return isPermanent(error.code) ? new CannotPostError(error.code, { cause: error }) : error;
}

/** Finds the message of the thread with a file that was sent before; undefined if there is none. */
async function findMessageWithFile(
  id: string,
  thread: Thread,
  deps: UploadDeps,
): Promise<MessageId | undefined> {
  const shares = await waitForShares(thread.channel, id, deps).catch((error: unknown) => {
    const hasTimedOut = error instanceof RetryTimeoutError && error.cause === undefined;
    if (hasTimedOut || (error instanceof SlackApiError && GONE.has(error.code))) return undefined;
    throw toPortError(error);
  });
  const share = shares?.find(({ thread_ts: root }) => root === thread.root);
  return share && messageId(share.ts);
}

/** The file is deleted, or was never uploaded completely. */
const GONE = new Set(['file_deleted', 'file_not_found']);

/** Returns the message of a file that was just uploaded. If the root of the thread is deleted, Slack posts the file in the channel itself. */
async function waitForMessage(id: string, thread: Thread, deps: UploadDeps): Promise<MessageId> {
  const { posts, call, log } = deps;
  const shares = await waitForShares(thread.channel, id, deps);
  const share = shares.find(({ thread_ts: root }) => root === thread.root);
  if (!share) {
    // Another upload would be in the channel too.
    const retryOptions = { time: deps.time, deadline: deps.time.now() + SHOWN_TIMEOUT_MS };
    await retrySlack(() => call('files.delete', { file: id }), retryOptions).catch(logUndeleted(deps));
    throw new ThreadDeletedError('the root message of the thread is deleted');
  }
  const message = messageId(share.ts);
  // Not essential: the record says which files to delete with the message.
  await posts
    .setFiles(thread, message, [id])
    .catch((error: unknown) => log?.('slack.post-record-failed', getErrorFacts(error)));
  return message;
}

/** Logs why a file stays. Never throws. */
export const logUndeleted =
  ({ log }: Pick<UploadDeps, 'log'>) =>
  (error: unknown): void =>
    log?.('slack.file-delete-failed', { reason: getRefusalReason(error) });

/**
 * Polls `files.info` until the file is shared in a channel, which happens some time after its upload (slackapi/bolt-js#2115). Rejects with
 * a RetryTimeoutError without a cause if it is not shared in time.
 */
async function waitForShares(channel: string, id: string, { call, time }: UploadDeps): Promise<Share[]> {
  const retryOptions = { time, deadline: time.now() + SHOWN_TIMEOUT_MS };
  for (let attempt = 0; ; attempt += 1) {
    const readInfo = async () => v.parse(info, await call('files.info', { file: id }));
    const { shares } = (await retrySlack(readInfo, retryOptions)).file;
    const shareEntries = [...(shares?.public?.[channel] ?? []), ...(shares?.private?.[channel] ?? [])];
    if (shareEntries.length > 0) return shareEntries;
    await retryDelay(attempt, undefined, retryOptions, undefined);
  }
}

/** Whether all of these files are shared by a message. Rejects as `waitForShares` does. */
export async function areShared(
  ids: readonly string[],
  { channel, message }: { readonly channel: string; readonly message: MessageId },
  deps: UploadDeps,
): Promise<boolean> {
  const shares = await Promise.all(ids.map((id) => waitForShares(channel, id, deps)));
  return shares.every((all) => all.some(({ ts }) => ts === message));
}
