import { PICTURES } from '../image-files/pictures.ts';
import type { Audience } from './access-model.ts';
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
