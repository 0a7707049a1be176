import { createHash } from 'node:crypto';
import { type MessageId, messageId, type Thread } from '../../../domain/index.ts';
import { FileUnavailableError, type CardMessenger, type Upload } from '../../ports/platform.ts';
import { cutSanitized, sanitize } from '../../markdown/index.ts';
import { type DiscordRequest, DiscordApiError } from '../api/call.ts';
import { IS_VOICE_MESSAGE } from '../api/enums.ts';
import { isForbidden } from '../api/errors.ts';
import type { DiscordDeps } from '../deps.ts';
import { idAt, listAt, textAt } from '../inbound/json-path.ts';
import { NO_MENTIONS, NO_PREVIEWS } from '../inbound/responses.ts';

const MB = 1024 * 1024;
/** By how much a guild is boosted. One request holds at most 25 MiB. See discord.com's help on file sizes. */
const UPLOADS_MB = [10, 10, 25, 25] as const;
/** In bytes. */
export const MAX_UPLOAD_BYTES = UPLOADS_MB[0] * MB;
const MAX_TEXT_LENGTH = 1_900;
/** How far back a file is looked for. */
const PAGE = 100;

export type UploadDeps = Pick<DiscordDeps, 'call' | 'applicationId' | 'guild'> & {
  readonly channelOf: (thread: Thread) => Promise<string>;
  readonly made: (request: DiscordRequest) => Promise<MessageId>;
  /** Does something in a thread; rejects with CannotPostError where that takes nothing more of the bot's. */
  readonly allowed: <T>(thread: Thread, make: () => Promise<T>) => Promise<T>;
  /** The permissions that the bot lacks to put a file there, by their names in Discord. Never rejects. */
  readonly lacking: (thread: Thread, error: unknown) => Promise<string>;
  /** Tries again what may be tried again. */
  readonly steady: <T>(make: () => Promise<T>) => Promise<T>;
};

/** Posted again with the same key within some minutes, Discord answers with the message that there is. */
export const nonceFor = (key: string) => ({ nonce: hash(key).slice(0, 24), enforce_nonce: true });

/**
 * Puts files into threads, and finds them there. Discord forgets a nonce within minutes, so a file's
 * own name tells it: looked for before, and found, it is not sent again. A voice message keeps its name and has the nonce alone.
 */
export function uploader(deps: UploadDeps): Pick<CardMessenger, 'upload' | 'findUploads'> {
  const { channelOf, made, allowed, lacking, steady } = deps;
  return {
    async upload(thread, file, key) {
      const { tier } = await deps.guild(thread.workspace);
      const most = (UPLOADS_MB[tier] ?? UPLOADS_MB[0]) * MB;
      if (file.bytes > most) throw new FileUnavailableError(['files.upload.too-large', { mb: most / MB }]);
      const path = `/channels/${await steady(() => channelOf(thread))}/messages`;
      const name = file.voice ? file.name : named(file.name, key);
      const [before] = file.voice ? [] : await steady(() => find(path, name, deps));
      if (before) return before;
      const content = await collect(file, most);
      // A card may have the same key: it is not the file.
      const nonce = nonceFor(`file ${key}`);
      const files = [{ name, type: file.mimetype, content }];
      const send = (of: Upload) =>
        made({ method: 'POST', path, body: { ...uploadBody({ ...of, name }), ...nonce }, files });
      // Where voice messages are not taken, the sound is a file like any other.
      const sent = send(file)
        .catch((error: unknown) => {
          if (!file.voice || !(error instanceof DiscordApiError)) throw error;
          return send({ ...file, voice: undefined });
        })
        .catch(async (error: unknown) => {
          if (!isForbidden(error)) throw error;
          throw new FileUnavailableError([
            'files.upload.no-permission',
            { permissions: await lacking(thread, error) },
          ]);
        });
      return allowed(thread, () => sent);
    },
    async findUploads(thread, name, key) {
      const path = `/channels/${await steady(() => channelOf(thread))}/messages`;
      return steady(() => find(path, named(name, key), deps));
    },
  };
}

const hash = (key: string): string => createHash('sha256').update(key).digest('hex');

/** `video.mp4` as `video-1a2b3c4d5e.mp4`: the same for the same key. */
const named = (name: string, key: string): string =>
  name.replace(/(\.\w+)?$/u, `-${hash(key).slice(0, 10)}$1`);

/** The bot's own messages that hold a file of this name, among the last. None where it may not look. */
async function find(
  path: string,
  name: string,
  { call, applicationId }: Pick<UploadDeps, 'call' | 'applicationId'>,
): Promise<MessageId[]> {
  const found = await call({ method: 'GET', path: `${path}?limit=${PAGE}` }).catch((error: unknown) => {
    if (error instanceof DiscordApiError) return [];
    throw error;
  });
  return listAt({ found }, 'found')
    .filter((one) => idAt(one, 'author', 'id') === applicationId)
    .filter((one) => listAt(one, 'attachments').some((file) => textAt(file, 'filename') === name))
    .flatMap((one) => idAt(one, 'id') ?? [])
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
  const said = [...(by === undefined ? [] : [`<@${by}>`]), ...(words === undefined ? [] : [sanitize(words)])];
  const content = said.length === 0 ? {} : { content: cutSanitized(said.join('\n'), MAX_TEXT_LENGTH) };
  return { ...content, attachments: [attachment], flags: NO_PREVIEWS, allowed_mentions: NO_MENTIONS };
}

/** Held whole: a request that breaks off is sent again. */
export async function collect({ content }: Upload, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.byteLength;
    if (size > most)
      throw new FileUnavailableError(['files.upload.too-large', { mb: Math.floor(most / MB) }]);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
