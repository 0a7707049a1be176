import { type MessageId, messageId, type Thread } from '../../../domain/index.ts';
import {
  FileUnavailableError,
  type CardMessenger,
  ResponseOnlyError,
  type Upload,
} from '../../ports/index.ts';
import { cutSanitized, sanitize } from '../../markdown/index.ts';
import { type DiscordRequest, DiscordApiError } from '../api/call.ts';
import { IS_VOICE_MESSAGE, NO_MENTIONS, NO_PREVIEWS } from '../api/enums.ts';
import { ERROR_CODES } from '../api/error-codes.ts';
import { hasCode, isForbidden } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { readId, readList } from '../api/json-path.ts';
import { createNonce, hash } from '../api/nonce.ts';
import { readFileName } from '../inbound/attachments.ts';
import { botMayWrite } from '../inbound/conversation-key.ts';

const MB = 1024 * 1024;
/** Limits in MB by the boost tier of the guild. A request may have 25 MiB at most. See Discord's help on file sizes. */
const UPLOADS_MB = [10, 10, 25, 25] as const;
/** In bytes. */
export const MAX_UPLOAD_BYTES = UPLOADS_MB[0] * MB;
const MAX_TEXT_LENGTH = 1_900;
/** How many recent messages are searched for a file. */
const PAGE = 100;

export type UploadDeps = Pick<DiscordDeps, 'call' | 'applicationId' | 'guild'> & {
  readonly channelOf: (thread: Thread) => Promise<string>;
  readonly sendForId: (request: DiscordRequest) => Promise<MessageId>;
  /** Runs `make`. Rejects with CannotPostError if the thread is closed to the bot. */
  readonly withPermission: <T>(thread: Thread, make: () => Promise<T>) => Promise<T>;
  /** The names of the permissions that the bot lacks to attach a file. Never rejects. */
  readonly reportMissingPermissions: (thread: Thread, error: unknown) => Promise<string>;
  /** Retries an idempotent request. */
  readonly withRetries: <T>(make: () => Promise<T>) => Promise<T>;
};

/**
 * Uploads files to threads, and finds them there. Discord forgets a nonce within minutes, so the file name has a tag of the key: a file that
 * is found by its tag is not uploaded again. A voice message must keep its name, so it has the nonce only.
 */
export function createUploader(deps: UploadDeps): Pick<CardMessenger, 'upload' | 'findUploads'> {
  const { channelOf, sendForId, withPermission, reportMissingPermissions, withRetries } = deps;
  return {
    async upload(thread, file, key) {
      if (!botMayWrite(thread)) throw new ResponseOnlyError('a file needs an interaction there');
      const { tier } = await deps.guild(thread.workspace);
      const maxBytes = (UPLOADS_MB[tier] ?? UPLOADS_MB[0]) * MB;
      if (file.bytes > maxBytes)
        throw new FileUnavailableError(['files.upload.too-large', { mb: maxBytes / MB }]);
      const path = `/channels/${await withRetries(() => channelOf(thread))}/messages`;
      const tag = createTag(key);
      const name = file.voice ? file.name : addTagToName(file.name, tag);
      const [before] = file.voice ? [] : await withRetries(() => find(path, tag, deps));
      if (before) return before;
      const content = await collect(file, maxBytes);
      // A card may have the same key, but needs another nonce.
      const nonce = createNonce(`file ${key}`);
      const files = [{ name, type: file.mimetype, content }];
      const send = (of: Upload) =>
        sendForId({ method: 'POST', path, body: { ...uploadBody({ ...of, name }), ...nonce }, files });
      // A channel that refuses voice messages may accept the audio as a file.
      const sent = send(file)
        .catch((error: unknown) => {
          if (!file.voice || !(error instanceof DiscordApiError)) throw error;
          return send({ ...file, voice: undefined });
        })
        .catch(async (error: unknown) => {
          // The fields of the request count for its limit too, and a guild may have lost its boosts since.
          if (hasCode(error, ERROR_CODES.RequestEntityTooLarge))
            throw new FileUnavailableError(['files.upload.too-large', { mb: maxBytes / MB }]);
          if (!isForbidden(error)) throw error;
          const permissions = await reportMissingPermissions(thread, error);
          throw new FileUnavailableError(
            permissions === ''
              ? ['files.upload.not-attached']
              : ['files.upload.no-permission', { permissions }],
          );
        });
      return withPermission(thread, () => sent);
    },
    async findUploads(thread, key) {
      const path = `/channels/${await withRetries(() => channelOf(thread))}/messages`;
      return withRetries(() => find(path, createTag(key), deps));
    },
  };
}

/** The same for the same key. */
const createTag = (key: string): string => hash(key).slice(0, 10);

/** `video.mp4` as `video-1a2b3c4d5e.mp4`. */
const addTagToName = (name: string, tag: string): string => name.replace(/(\.\w+)?$/u, `-${tag}$1`);

/**
 * Finds recent messages of the bot with a file whose name has this tag: Discord changes names that are not ASCII. Empty if the bot may not read the
 * channel.
 */
async function find(
  path: string,
  tag: string,
  { call, applicationId }: Pick<UploadDeps, 'call' | 'applicationId'>,
): Promise<MessageId[]> {
  const response = await call({ method: 'GET', path: `${path}?limit=${PAGE}` }).catch((error: unknown) => {
    if (error instanceof DiscordApiError) return [];
    throw error;
  });
  return readList({ found: response }, 'found')
    .filter((one) => readId(one, 'author', 'id') === applicationId)
    .filter((one) => readList(one, 'attachments').some((file) => readFileName(file).includes(tag)))
    .flatMap((one) => readId(one, 'id') ?? [])
    .map(messageId);
}

export function uploadBody({ name, by, words, voice }: Upload) {
  const attachment = { id: '0', filename: name };
  if (voice) {
    const waveform = Buffer.from(voice.waveform).toString('base64');
    return {
      flags: IS_VOICE_MESSAGE,
      allowed_mentions: NO_MENTIONS,
      attachments: [{ ...attachment, duration_secs: voice.seconds, waveform }],
    };
  }
  const lines = [
    ...(by === undefined ? [] : [`<@${by}>`]),
    ...(words === undefined ? [] : [sanitize(words)]),
  ];
  const content = lines.length === 0 ? {} : { content: cutSanitized(lines.join('\n'), MAX_TEXT_LENGTH) };
  return { ...content, attachments: [attachment], flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
}

/** Reads the whole content into memory, since a failed request is sent again. */
export async function collect({ content }: Upload, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.byteLength;
    if (size > maxBytes)
      throw new FileUnavailableError(['files.upload.too-large', { mb: Math.floor(maxBytes / MB) }]);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
