import { PICTURES } from '../image-files/pictures.ts';
import type { Audience } from './access-model.ts';
import type { IsolationHarness } from './harness.ts';

/** A file attached to a message. */
export type SentFile = { readonly name: string; readonly content: string | Uint8Array };

/** Chooses the attachments of a message. */
export type ChooseFiles = (
  harness: Pick<IsolationHarness, 'random' | 'checker'>,
  audience: Audience,
  user: string,
) => readonly SentFile[];

const RECORDING_SHARE = 0.15;
const PICTURE_SHARE = 0.15;

/** Attachments of a message: mostly none, sometimes a recording with its own marker, or a picture. */
export const someFiles: ChooseFiles = ({ random, checker }, audience, user) => {
  const chance = random();
  if (chance < RECORDING_SHARE)
    return [{ name: 'clip.m4a', content: `They say ${checker.plant(audience, user)}.` }];
  if (chance < RECORDING_SHARE + PICTURE_SHARE)
    return [{ name: 'picture.png', content: Buffer.from(PICTURES.png, 'base64') }];
  return [];
};

/** A text file with its own marker. */
export const someNotes: ChooseFiles = ({ checker }, audience, user) => [
  { name: 'notes.txt', content: `The notes say ${checker.plant(audience, user)}.` },
];

type Files = ReadonlyMap<string, { readonly content: string }>;

/** The content of the files of a message as text: a question about the message may include its transcripts. */
export const wordsIn = (files: Files, ids: readonly string[] = []): string =>
  ids.map((id) => Buffer.from(files.get(id)?.content ?? '', 'base64').toString()).join(' ');
