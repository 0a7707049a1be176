import type { MessageId } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Log, Patience } from '../patience.ts';
import type { Step } from '../platform.ts';
import { dress, drawTables, footerText, type Range, ranges } from '../text/index.ts';
import type { SentFile } from './call.ts';
import { hasCode, persist, reasonOf } from './call-failure.ts';
import { CODES, DiscordRefused } from './call.ts';
import { DISCORD_LIMIT, headOf } from './content.ts';
import type { Messages } from './messages.ts';
import { isClosed } from './mouth.ts';
import { type Answer, newPart } from './part.ts';
import { PartTooLong, showPart } from './show.ts';

/** Room for what closes a fence, and for what Discord counts otherwise. */
const SPARE = 60;
const SMALLEST_LIMIT = 500;

export type Finishing = {
  readonly answer: Answer;
  readonly messages: Messages;
  readonly patience: Patience;
  /** A longer answer than this many messages is sent as a file. */
  readonly most: number;
  readonly log?: Log | undefined;
};

/** What an answer is to show at last: inert Markdown, not empty; the steps; what stands under its last message. */
export type Target = {
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
 * many removed. Throws as `showPart` does.
 */
export async function finishAnswer(target: Target, finishing: Finishing, limit?: number): Promise<void> {
  const { answer, messages, patience } = finishing;
  const { locale } = messages;
  const head = headOf(target.steps, messages);
  const footer = target.footer ? `\n-# ${footerText(target.footer)}` : '';
  const room = limit ?? roomFor(head + footer);
  const { text, files } = drawTables(target.text);
  const { pieces, whole } = planned(plan(answer, text, room), finishing.most);
  const sent = [
    ...(whole ? [] : [textFile('answer.md', 'text/markdown', target.text)]),
    ...reasoningIn(target.steps),
    ...files.map(({ name, csv }) => textFile(name, 'text/csv', csv)),
  ].slice(0, MOST_FILES);
  answer.text = text;
  try {
    for (const [index, piece] of pieces.entries()) {
      const part = (answer.parts[index] ??= newPart(index));
      part.from = piece.from;
      const last = index === pieces.length - 1;
      const words =
        dress(text, piece, room) +
        (last && !whole ? `\n-# ${say(locale, 'answers.discord.in-file')}` : '') +
        (last ? footer : '');
      const content = (index === 0 ? head : '') + words;
      const body = {
        content,
        components: last ? target.under : [],
        files: last ? sent : [],
      };
      await showPart(part, body, answer, messages, patience);
    }
  } catch (error) {
    if (!(error instanceof PartTooLong) || room <= SMALLEST_LIMIT) throw error;
    for (const part of answer.parts) part.from = undefined;
    return finishAnswer(target, finishing, Math.max(SMALLEST_LIMIT, Math.floor(room / 2)));
  }
  for (const { id } of answer.parts.splice(pieces.length)) if (id !== undefined) answer.replaced.push(id);
  await removeReplaced(finishing);
}

/** Discord takes ten files with a message. */
const MOST_FILES = 10;

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
export function plan({ parts, text }: Answer, target: string, limit: number): Range[] {
  const cuts = parts.flatMap(({ from }) => (from === undefined ? [] : [from]));
  const last = cuts.at(-1) ?? 0;
  const kept = cuts.slice(0, -1).map((from, index) => ({ from, to: cuts[index + 1] ?? from }));
  const narrow = kept.every((piece) => dress(target, piece, limit).length <= limit);
  const fits = last < target.length && narrow && target.startsWith(text.slice(0, last));
  const pieces = fits ? [...kept, ...ranges(target, limit, last)] : ranges(target, limit);
  return pieces.filter(({ from, to }) => target.slice(from, to).trim() !== '');
}

/** Takes away all that the answer has posted, as far as Discord lets it: its place is gone. Never throws. */
export async function removeAll(finishing: Finishing): Promise<void> {
  const { answer, log } = finishing;
  const ids = answer.parts.splice(0).flatMap(({ id }) => (id === undefined ? [] : [id]));
  answer.replaced.push(...ids);
  await removeReplaced(finishing).catch((error: unknown) =>
    log?.('discord.not_removed', { reason: reasonOf(error) }),
  );
}

async function removeReplaced({ answer, messages, patience, log }: Finishing): Promise<void> {
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
  patience: Patience,
  log: Log | undefined,
): Promise<void> {
  try {
    await persist(() => messages.remove(id), patience);
  } catch (error) {
    if (!(error instanceof DiscordRefused) && !isClosed(error)) throw error;
    if (!hasCode(error, CODES.unknownMessage)) log?.('discord.not_removed', { reason: reasonOf(error) });
  }
}
