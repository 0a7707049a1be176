import type { MessageId } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import type { Log, RetryOptions } from '../../retry.ts';
import type { Step } from '../../ports/platform.ts';
import {
  closeOpenBlocks,
  drawTables,
  footerText,
  inCharacters,
  type Range,
  ranges,
} from '../../markdown/index.ts';
import type { SentFile } from '../api/call.ts';
import { isClosed, retryDiscord, reasonOf, refusalKind } from '../api/errors.ts';
import { DiscordApiError } from '../api/call.ts';
import { DISCORD_LIMIT, headOf } from '../blocks/answer-components.ts';
import { BodyOutdated, type Messages } from '../api/messages.ts';
import { type LiveAnswer, newPart } from './live-answer.ts';
import { PERMISSIONS } from '../lookup/permissions.ts';
import { FilesRefused, PartTooLong, syncMessage } from './sync-message.ts';

/** Room for what closes a fence, and for what Discord counts otherwise. */
const SPARE = 60;
const SMALLEST_LIMIT = 500;

export type PublishOptions = {
  readonly answer: LiveAnswer;
  readonly messages: Messages;
  readonly patience: RetryOptions;
  /** A longer answer than this many messages is sent as a file. */
  readonly most: number;
  /** Gets files to whoever asked where `error` says that they cannot stand beside the answer; whether it did. May reject with it. */
  readonly handOver: (files: readonly SentFile[], error: unknown) => Promise<boolean>;
  readonly log?: Log | undefined;
};

/** What an answer is to show at last: inert Markdown, not empty; the steps; what stands under its last message. */
export type PublishTarget = {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly under: readonly Readonly<Record<string, unknown>>[];
  /** A line of small print below the words. */
  readonly footer?: string | undefined;
};

/** How many characters of text a message takes beside its head. */
export const roomFor = (head: string): number => DISCORD_LIMIT - SPARE - head.length;

/**
 * Makes the messages of an answer show the target and nothing else: each part is shown, what is missing posted, what is too
 * many removed. Where the bot may not attach files, they go to whoever asked, and the answer says so; where that is refused too,
 * all words are shown, however many messages they take. Throws as `syncMessage` does.
 */
export async function publishAnswer(
  target: PublishTarget,
  finishing: PublishOptions,
  limit?: number,
): Promise<void> {
  const { answer, messages, patience } = finishing;
  const { text, head, room, pieces, files, ending } = laidOut(target, finishing, limit);
  answer.text = text;
  try {
    for (const [index, piece] of pieces.entries()) {
      const part = (answer.parts[index] ??= newPart(index));
      part.from = piece.from;
      const last = index === pieces.length - 1;
      const content =
        (index === 0 ? head : '') + closeOpenBlocks(text, piece, inCharacters(room)) + (last ? ending : '');
      const body = {
        content,
        components: last ? target.under : [],
        files: last && answer.files === 'attached' ? files : [],
      };
      await syncMessage(part, body, answer, messages, patience);
    }
  } catch (error) {
    return publishAnswer(target, finishing, await fallback(error, { room, files, limit }, finishing));
  }
  for (const { id } of answer.parts.splice(pieces.length)) if (id !== undefined) answer.replaced.push(id);
  await removeReplaced(finishing);
}

type Tried = Pick<Layout, 'room' | 'files'> & { readonly limit: number | undefined };

/** What a refusal asks for: the answer is changed, and the limit to lay it out by now is given. Throws what nothing helps against. */
async function fallback(
  error: unknown,
  tried: Tried,
  finishing: PublishOptions,
): Promise<number | undefined> {
  const { answer, handOver } = finishing;
  if (error instanceof BodyOutdated) return tried.limit;
  if (error instanceof FilesRefused) {
    answer.files = (await handOver(tried.files, error.cause)) ? 'direct-message' : 'left-out';
    return tried.limit;
  }
  if (!(error instanceof PartTooLong) || tried.room <= SMALLEST_LIMIT) throw error;
  for (const part of answer.parts) part.from = undefined;
  return Math.max(SMALLEST_LIMIT, Math.floor(tried.room / 2));
}

/** How an answer is spread over messages. */
type Layout = {
  /** With tables drawn. */
  readonly text: string;
  /** Above the first message. */
  readonly head: string;
  /** Characters of text in a message. */
  readonly room: number;
  readonly pieces: readonly Range[];
  readonly files: readonly SentFile[];
  /** Below the last message. */
  readonly ending: string;
};

function laidOut(
  target: PublishTarget,
  { answer, messages, most }: PublishOptions,
  limit: number | undefined,
): Layout {
  const { locale } = messages;
  const head = headOf(target.steps, messages);
  const note = noteOf(answer, locale);
  const footer = target.footer ? `\n-# ${footerText(target.footer)}` : '';
  const room = limit ?? roomFor(head + note + footer);
  const { text, files: tables } = drawTables(target.text);
  const { pieces, whole } = planned(
    plan(answer, text, room),
    answer.files === 'left-out' ? Number.MAX_SAFE_INTEGER : most,
  );
  const files = [
    ...(whole ? [] : [textFile('answer.md', 'text/markdown', target.text)]),
    ...reasoningIn(target.steps),
    ...tables.map(({ name, csv }) => textFile(name, 'text/csv', csv)),
  ].slice(0, MAX_FILES);
  const more = whole ? '' : `\n-# ${localize(locale, 'answers.discord.in-file')}`;
  return { text, head, room, pieces, files, ending: more + (files.length > 0 ? note : '') + footer };
}

/** What the last message says of files that do not stand beside it. */
function noteOf({ files }: LiveAnswer, locale: Locale): string {
  if (files === 'attached') return '';
  const permissions = PERMISSIONS.AttachFiles.name;
  return `\n-# ${localize(locale, `answers.discord.files.${files}`, { permissions })}`;
}

/** Discord takes ten files with a message. */
const MAX_FILES = 10;

/** What stands behind the steps, for those who want to read it. */
function reasoningIn(steps: readonly Step[]): SentFile[] {
  const parts = steps.flatMap(({ file }) => file ?? []);
  return parts.length === 0 ? [] : [textFile('reasoning.md', 'text/markdown', parts.join('\n\n---\n\n'))];
}

const textFile = (name: string, type: string, text: string): SentFile => ({
  name,
  type: `${type}; charset=utf-8`,
  content: Buffer.from(text),
});

/** The pieces that are shown as messages, and whether these are all. */
function planned(
  pieces: readonly Range[],
  most: number,
): { readonly pieces: readonly Range[]; readonly whole: boolean } {
  if (pieces.length <= most) return { pieces, whole: true };
  return { pieces: pieces.slice(0, most), whole: false };
}

/**
 * Where the text is cut: as the parts shown so far are, if they show its beginning, and anew behind the last of these cuts.
 * Pieces of white space alone are left out, since Discord refuses them.
 */
export function plan({ parts, text }: LiveAnswer, target: string, limit: number): Range[] {
  const cuts = parts.flatMap(({ from }) => (from === undefined ? [] : [from]));
  const last = cuts.at(-1) ?? 0;
  const kept = cuts.slice(0, -1).map((from, index) => ({ from, to: cuts[index + 1] ?? from }));
  const most = inCharacters(limit);
  const narrow = kept.every((piece) => closeOpenBlocks(target, piece, most).length <= limit);
  const fits = last < target.length && narrow && target.startsWith(text.slice(0, last));
  const pieces = fits ? [...kept, ...ranges(target, most, last)] : ranges(target, most);
  return pieces.filter(({ from, to }) => target.slice(from, to).trim() !== '');
}

/** Takes away all that the answer has posted, as far as Discord lets it: its place is gone. Never throws. */
export async function removeAll(finishing: PublishOptions): Promise<void> {
  const { answer, log } = finishing;
  const ids = answer.parts.splice(0).flatMap(({ id }) => (id === undefined ? [] : [id]));
  answer.replaced.push(...ids);
  await removeReplaced(finishing).catch((error: unknown) =>
    log?.('discord.not_removed', { reason: reasonOf(error) }),
  );
}

async function removeReplaced({ answer, messages, patience, log }: PublishOptions): Promise<void> {
  const { replaced } = answer;
  for (let id = replaced[0]; id !== undefined; id = replaced[0]) {
    await removeOne(id, messages, patience, log);
    replaced.shift();
  }
}

/** What is deleted already counts as done; what Discord does not let the app delete is logged. */
export async function removeOne(
  id: MessageId,
  messages: Pick<Messages, 'remove'>,
  patience: RetryOptions,
  log: Log | undefined,
): Promise<void> {
  try {
    await retryDiscord(() => messages.remove(id), patience);
  } catch (error) {
    if (!(error instanceof DiscordApiError) && !isClosed(error)) throw error;
    if (refusalKind(error) !== 'message-not-found') log?.('discord.not_removed', { reason: reasonOf(error) });
  }
}
