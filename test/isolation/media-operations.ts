import { PICTURES } from '../image-files/pictures.ts';
import { pick } from './commands.ts';
import type { Audience } from './access-model.ts';
import type { Operation } from './operation.ts';
import { partsOf } from './video-service.ts';
import type { IsolationHarness } from './harness.ts';

/** A file attached to a message. */
export type SentFile = { readonly name: string; readonly content: string | Uint8Array };

const RECORDING_SHARE = 0.15;
const PICTURE_SHARE = 0.15;

/** Attachments of a message: mostly none, sometimes a recording with its own marker, or a picture. */
export function someFiles(
  { random, checker }: IsolationHarness,
  audience: Audience,
  user: string,
): readonly SentFile[] {
  const chance = random();
  if (chance < RECORDING_SHARE)
    return [{ name: 'clip.m4a', content: `They say ${checker.plant(audience, user)}.` }];
  if (chance < RECORDING_SHARE + PICTURE_SHARE)
    return [{ name: 'picture.png', content: Buffer.from(PICTURES.png, 'base64') }];
  return [];
}

type Files = ReadonlyMap<string, { readonly content: string }>;

/** The content of the files of a message as text: a question about the message may include its transcripts. */
export const wordsIn = (files: Files, ids: readonly string[] = []): string =>
  ids.map((id) => Buffer.from(files.get(id)?.content ?? '', 'base64').toString()).join(' ');

const WRONG_SECRET = 'w'.repeat(43);
const EVERYBODY = 404;

/** A callback of the video service, or of a stranger who knows the URL of another job. */
export function callBack(harness: IsolationHarness): Operation | undefined {
  const { random, videos, checker } = harness;
  const made = pick(random, videos.made);
  const other = pick(random, videos.made);
  if (!made || !other) return undefined;
  const { job, secret } = partsOf(made);
  const given = pick(random, [secret, partsOf(other).secret, WRONG_SECRET]) ?? secret;
  const event = { pathParameters: { job, secret: given }, headers: {}, body: '{}', isBase64Encoded: false };
  const act = async (): Promise<void> => {
    const { statusCode } = await harness.system.callback(event);
    if (given !== secret && statusCode !== EVERYBODY)
      checker.fail(`a callback with the secret of another job is answered with ${statusCode}`);
  };
  const operation = given === secret ? 'system: video callback' : 'forged callback';
  return { actor: { ...made.actor, operation }, act, detail: job };
}
