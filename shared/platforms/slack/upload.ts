import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { type CardFile, type MessageId, messageId, type Thread } from '../../conversation/index.ts';
import { CardRefused, FileRefused, type Stage, ThreadGone, type Upload } from '../platform.ts';
import { inert } from '../text/index.ts';
import { isHopeless } from './call-failure.ts';
import { SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import { identifier, type WhoAmI } from './identity.ts';
import { CANNOT_LOOK } from './leftovers.ts';
import { mrkdwnOf } from './mrkdwn.ts';
import { NotShown, pauseBefore, persist } from './patience.ts';

/** For one file with all that is tried; of that, for its bytes. */
const WITHIN_MS = 150_000;
const BYTES_WITHIN_MS = 100_000;
/** How long Slack may take to show a file that it has accepted. */
const SHOWN_WITHIN_MS = 20_000;
/** How far back a file is looked for: no job lasts as long, and long threads are read from there on. */
const LOOKED_BACK_MS = 24 * 3_600_000;
const PAGE = 200;
const PAGES = 5;

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
const page = v.object({
  messages: v.array(
    v.object({
      ts: v.string(),
      user: v.optional(v.string()),
      files: v.optional(v.array(v.object({ name: v.nullish(v.string()) }))),
    }),
  ),
  response_metadata: v.optional(v.object({ next_cursor: v.optional(v.string()) })),
});

export type UploadDeps = Pick<SlackDeps, 'call' | 'time' | 'botUserId'> & {
  /** Where files may be sent to. They get the bytes, and no token. */
  readonly origins: readonly string[];
};

type Deps = UploadDeps & { readonly whoAmI: WhoAmI };

/**
 * Puts a file into a thread: asks for a place, sends the bytes as they come, says where they belong. Messages with files
 * carry no mark, so the file's own name tells it: looked for before, and found, it is not sent again. Resolves with the
 * message once the thread shows it.
 */
export function uploader(given: UploadDeps): Pick<Stage, 'upload' | 'uploaded'> & {
  /** Takes files into the workspace that stand in no channel yet: resolves with their ids. Rejects with FileRefused. */
  readonly keep: (files: readonly CardFile[]) => Promise<string[]>;
} {
  const deps: Deps = { ...given, whoAmI: identifier(given) };
  return {
    keep: (files) => keep(files, deps),
    upload: (...what) => upload(deps, ...what),
    uploaded: (thread, name, key) =>
      persist(() => find(thread, named(name, key), deps), patienceOf(deps)).catch((error: unknown) => {
        throw meaning(error);
      }),
  };
}

const patienceOf = ({ time }: Deps) => ({ time, deadline: time.now() + WITHIN_MS });

async function upload(deps: Deps, thread: Thread, file: Upload, key: string): Promise<MessageId> {
  const { call } = deps;
  const name = named(file.name, key);
  const patience = patienceOf(deps);
  const [before] = await persist(() => find(thread, name, deps), patience);
  if (before) return before;
  try {
    const id = await sendFile({ ...file, name }, patience, deps);
    await call('files.completeUploadExternal', {
      files: [{ id, title: file.name }],
      channel_id: thread.channel,
      thread_ts: thread.root,
      ...commentOf(file),
    });
  } catch (error) {
    throw meaning(error);
  }
  return shown(thread, name, deps);
}

async function keep(files: readonly CardFile[], deps: Deps): Promise<string[]> {
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

/** Asks for a place for a file, and sends its bytes there. Resolves with its id. Rejects with FileRefused. */
async function sendFile(
  file: Pick<Upload, 'name' | 'bytes' | 'content'>,
  patience: ReturnType<typeof patienceOf>,
  { call, origins }: Deps,
): Promise<string> {
  const asked = { filename: file.name, length: file.bytes };
  // What is refused for a reason that people are told is not asked for again.
  const reserve = () => call('files.getUploadURLExternal', asked).catch(refusalOf);
  const reserved = await persist(reserve, patience);
  if (reserved instanceof FileRefused) throw reserved;
  const { upload_url: url, file_id: id } = v.parse(place, reserved);
  await sendBytes(url, file, origins);
  return id;
}

/** `video.mp4` as `video-1a2b3c4d5e.mp4`: the same for the same key. */
function named(name: string, key: string): string {
  const tag = createHash('sha256').update(key).digest('hex').slice(0, 10);
  return name.replace(/(\.\w+)?$/u, `-${tag}$1`);
}

/** What stands above a file is Slack's older markup, in which a person's words could call a whole channel. */
function commentOf({ by, words }: Upload): { readonly initial_comment?: string } {
  const said = [
    ...(by === undefined ? [] : [`<@${by}>`]),
    ...(words === undefined ? [] : [mrkdwnOf(inert(words))]),
  ];
  return said.length === 0 ? {} : { initial_comment: said.join('\n') };
}

/** The refusal that people are told of, as a value. Throws what is none. */
function refusalOf(error: unknown): FileRefused {
  const reason = error instanceof SlackRefused ? REFUSALS[error.code] : undefined;
  if (reason === undefined) throw error;
  return new FileRefused([`files.upload.${reason}`]);
}

function meaning(error: unknown): unknown {
  if (!(error instanceof SlackRefused)) return error;
  if (error.code in REFUSALS) return refusalOf(error);
  if (error.code === 'thread_not_found' || error.code === 'message_not_found')
    return new ThreadGone(error.code);
  return isHopeless(error.code) ? new CardRefused(error.code, { cause: error }) : error;
}

/** The bot's own messages in the thread that hold a file of this name. */
async function find(
  { channel, root }: Thread,
  name: string,
  { call, whoAmI, time }: Deps,
): Promise<MessageId[]> {
  const { user: self } = await whoAmI();
  const oldest = ((time.now() - LOOKED_BACK_MS) / 1_000).toFixed(6);
  const all: MessageId[] = [];
  let cursor: string | undefined;
  try {
    for (let pages = 0; pages < PAGES; pages += 1) {
      const next = cursor === undefined ? {} : { cursor };
      const args = { channel, ts: root, oldest, limit: PAGE, ...next };
      const { messages, response_metadata } = v.parse(page, await call('conversations.replies', args));
      const found = messages.filter(
        ({ user, files = [] }) => user === self && files.some((one) => one.name === name),
      );
      all.push(...found.map(({ ts }) => messageId(ts)));
      cursor = response_metadata?.next_cursor;
      if (!cursor) break;
    }
  } catch (error) {
    if (!(error instanceof SlackRefused) || !CANNOT_LOOK.has(error.code)) throw error;
  }
  return all;
}

/** Slack shows a file some time after it has accepted it. */
async function shown(thread: Thread, name: string, deps: Deps): Promise<MessageId> {
  const patience = { time: deps.time, deadline: deps.time.now() + SHOWN_WITHIN_MS };
  for (let attempt = 0; ; attempt += 1) {
    const [found] = await persist(() => find(thread, name, deps), patience);
    if (found) return found;
    await pauseBefore(attempt, undefined, patience, new NotShown('the file is not in the thread yet'));
  }
}

/** Sends the bytes as they come, without the token: whoever has the address may send there. No redirect is followed. */
async function sendBytes(
  address: string,
  file: Pick<Upload, 'bytes' | 'content'>,
  origins: readonly string[],
): Promise<void> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !origins.includes(url.origin) || url.username !== '' || url.password !== '') {
    throw new NotShown('Slack wants the file at an address that is not its own');
  }
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const headers = { 'content-type': 'application/octet-stream', 'content-length': file.bytes };
  const signal = AbortSignal.timeout(BYTES_WITHIN_MS);
  const request = send(url, { method: 'POST', headers, signal, agent: false });
  const answered = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
  });
  const sent = pipeline(file.content, request);
  sent.catch(() => undefined);
  const status = await answered;
  if (status !== 200) throw new NotShown(`the place for the file answered ${status}`);
  await sent;
}
