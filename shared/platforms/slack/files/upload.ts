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
} from '../../ports/platform.ts';
import { sanitize } from '../../markdown/index.ts';
import { isPermanent } from '../api/errors.ts';
import { SlackApiError } from '../api/call.ts';
import type { SlackDeps } from '../deps.ts';
import { toMrkdwn } from '../blocks/mrkdwn.ts';
import { RetryTimeoutError, retryDelay, retrySlack } from '../api/retry.ts';
import type { PostRecords } from '../posts/post-records.ts';
import { type SendBytes, sendBytes } from './upload-bytes.ts';

/** For one file with all that is tried, its bytes included. */
const TIMEOUT_MS = 150_000;
/** How long Slack may take to show a file that it has accepted. */
const SHOWN_TIMEOUT_MS = 20_000;
/** What Slack refuses a file for, and what people can do. */
const REFUSALS: Readonly<Record<string, 'full' | 'off' | 'pictures-only' | 'type' | 'size' | 'scope'>> = {
  storage_limit_reached: 'full',
  file_uploads_disabled: 'off',
  file_uploads_except_images_disabled: 'pictures-only',
  file_type_not_allowed: 'type',
  blocked_file_type: 'type',
  file_upload_size_restricted: 'size',
  missing_scope: 'scope',
};

const place = v.object({ upload_url: v.string(), file_id: v.string() });
const shared = v.object({ ts: v.string(), thread_ts: v.optional(v.string()) });
type Share = v.InferOutput<typeof shared>;
const byChannel = v.nullish(v.record(v.string(), v.array(shared)));
const info = v.object({
  file: v.object({ shares: v.nullish(v.object({ public: byChannel, private: byChannel })) }),
});
export type UploadDeps = Pick<SlackDeps, 'call' | 'time' | 'log'> & {
  /** Where files may be sent to. They get the bytes, and no token. */
  readonly origins: readonly string[];
  readonly posts: PostRecords;
  /** How the bytes of a file are sent to a place for them; over the network unless told. */
  readonly sendBytes?: SendBytes | undefined;
};

/**
 * Puts a file into a thread: asks for a place, sends the bytes as they come, says where they belong. Its id is noted by its key
 * before the bytes are sent: found in the thread by that, it is not sent again. Resolves with the message once Slack tells it.
 */
export function uploader(deps: UploadDeps): Pick<CardMessenger, 'upload' | 'findUploads'> & {
  /** Takes files into the workspace that stand in no channel yet: resolves with their ids. Rejects with FileUnavailableError. */
  readonly keep: (files: readonly CardFile[]) => Promise<string[]>;
} {
  return {
    keep: (files) => keep(files, deps),
    upload: (...what) => upload(deps, ...what),
    findUploads: async (thread, _, key) => {
      const ids = (await deps.posts.find(thread, key))?.files ?? [];
      const messages = await Promise.all(ids.map((id) => messageWith(id, thread, deps)));
      return messages.flatMap((one) => one ?? []).toSorted();
    },
  };
}

const patienceOf = ({ time }: UploadDeps) => ({ time, deadline: time.now() + TIMEOUT_MS });

async function upload(deps: UploadDeps, thread: Thread, file: Upload, key: string): Promise<MessageId> {
  const { call, posts } = deps;
  const before = await posts.find(thread, key);
  for (const sent of before?.files ?? []) {
    const there = await messageWith(sent, thread, deps);
    if (there) return there;
  }
  const named = { ...file, name: nameFor(file.name, key) };
  try {
    const id = await sendFile(named, patienceOf(deps), deps, (sent) => posts.addFile(thread, key, sent));
    await call('files.completeUploadExternal', {
      files: [{ id, title: file.name }],
      channel_id: thread.channel,
      thread_ts: thread.root,
      ...commentOf(file),
    });
    return await shownAt(id, thread, deps);
  } catch (error) {
    throw meaning(error);
  }
}

async function keep(files: readonly CardFile[], deps: UploadDeps): Promise<string[]> {
  const patience = patienceOf(deps);
  try {
    const sent: { readonly id: string; readonly title: string }[] = [];
    for (const { name, content } of files) {
      const file = { name, bytes: content.byteLength, content: Readable.from([content]) };
      sent.push({ id: await sendFile(file, patience, deps), title: name });
    }
    await deps.call('files.completeUploadExternal', { files: sent });
    return sent.map(({ id }) => id);
  } catch (error) {
    throw meaning(error);
  }
}

/** Asks for a place for a file, and sends its bytes there. Resolves with its id. Rejects with FileUnavailableError. */
async function sendFile(
  file: Pick<Upload, 'name' | 'bytes' | 'content'>,
  patience: ReturnType<typeof patienceOf>,
  { call, origins, sendBytes: send = sendBytes }: UploadDeps,
  before: (id: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const asked = { filename: file.name, length: file.bytes };
  // What is refused for a reason that people are told is not asked for again.
  const reserve = () => call('files.getUploadURLExternal', asked).catch(refusalOf);
  const reserved = await retrySlack(reserve, patience);
  if (reserved instanceof FileUnavailableError) throw reserved;
  const { upload_url: url, file_id: id } = v.parse(place, reserved);
  await before(id);
  await send(url, file, origins);
  return id;
}

/** `video.mp4` as `video-1a2b3c4d5e.mp4`: the same for the same key. */
function nameFor(name: string, key: string): string {
  const tag = createHash('sha256').update(key).digest('hex').slice(0, 10);
  return name.replace(/(\.\w+)?$/u, `-${tag}$1`);
}

/** What stands above a file is Slack's older markup, in which a person's words could call a whole channel. */
function commentOf({ by, words }: Upload): { readonly initial_comment?: string } {
  const said = [
    ...(by === undefined ? [] : [`<@${by}>`]),
    ...(words === undefined ? [] : [toMrkdwn(sanitize(words))]),
  ];
  return said.length === 0 ? {} : { initial_comment: said.join('\n') };
}

/** The refusal that people are told of, as a value. Throws what is none. */
function refusalOf(error: unknown): FileUnavailableError {
  const reason = error instanceof SlackApiError ? REFUSALS[error.code] : undefined;
  if (reason === undefined) throw error;
  return new FileUnavailableError([`files.upload.${reason}`]);
}

function meaning(error: unknown): unknown {
  if (!(error instanceof SlackApiError)) return error;
  if (error.code in REFUSALS) return refusalOf(error);
  if (error.code === 'thread_not_found' || error.code === 'message_not_found')
    return new ThreadDeletedError(error.code);
  return isPermanent(error.code) ? new CannotPostError(error.code, { cause: error }) : error;
}

/** The message in the thread that holds a file which was sent before; undefined where Slack has none. */
async function messageWith(id: string, thread: Thread, deps: UploadDeps): Promise<MessageId | undefined> {
  const shares = await sharesIn(thread.channel, id, deps).catch((error: unknown) => {
    const unfinished = error instanceof RetryTimeoutError && error.cause === undefined;
    if (unfinished || (error instanceof SlackApiError && GONE.has(error.code))) return undefined;
    throw meaning(error);
  });
  const share = shares?.find(({ thread_ts: root }) => root === thread.root);
  return share && messageId(share.ts);
}

/** Slack has it no more, or has never had all of it. */
const GONE = new Set(['file_deleted', 'file_not_found']);

/** The message that holds a file which Slack has just taken. To a thread whose root is gone, Slack posts as if none was named. */
async function shownAt(id: string, thread: Thread, deps: UploadDeps): Promise<MessageId> {
  const { posts, call, log } = deps;
  const shares = await sharesIn(thread.channel, id, deps);
  const share = shares.find(({ thread_ts: root }) => root === thread.root);
  if (!share) {
    await call('files.delete', { file: id });
    throw new ThreadDeletedError('the message that the thread hung on is gone');
  }
  const message = messageId(share.ts);
  // Not vital: it tells which file goes with the message.
  await posts.setFiles(thread, message, [id]).catch(() => log?.('slack.post-record-failed'));
  return message;
}

/**
 * Where a file is shared in a channel. Slack does that some time after it has taken the file, and `files.info` tells
 * (slackapi/bolt-js#2115). Rejects with RetryTimeoutError without a cause where it is not shared in time.
 */
async function sharesIn(channel: string, id: string, { call, time }: UploadDeps): Promise<Share[]> {
  const patience = { time, deadline: time.now() + SHOWN_TIMEOUT_MS };
  for (let attempt = 0; ; attempt += 1) {
    const asked = async () => v.parse(info, await call('files.info', { file: id }));
    const { shares } = (await retrySlack(asked, patience)).file;
    const found = [...(shares?.public?.[channel] ?? []), ...(shares?.private?.[channel] ?? [])];
    if (found.length > 0) return found;
    await retryDelay(attempt, undefined, patience, undefined);
  }
}

/** Whether a message shows all of these files, as far as Slack tells where they are shared. Rejects as `sharesIn` does. */
export async function areShared(
  ids: readonly string[],
  { channel, message }: { readonly channel: string; readonly message: MessageId },
  deps: UploadDeps,
): Promise<boolean> {
  const shares = await Promise.all(ids.map((id) => sharesIn(channel, id, deps)));
  return shares.every((all) => all.some(({ ts }) => ts === message));
}
