import { SlackRefused } from './call.ts';
import type { Log } from './deps.ts';
import type { Messages } from './messages.ts';
import { type Answer, newPart } from './part.ts';
import { type Patience, persist } from './patience.ts';
import { PartTooLong, showPart } from './show.ts';
import { dress, type Range, ranges } from './split.ts';

const SMALLEST_LIMIT = 1_000;

export type Finishing = {
  readonly answer: Answer;
  readonly messages: Messages;
  readonly patience: Patience;
  readonly log?: Log | undefined;
};

/**
 * Makes the messages of an answer show `target` (inert, not empty) and nothing else: each part is shown, what is
 * missing posted, what is too many removed. Parts have at most `limit` characters, fewer if Slack finds them too long.
 * Throws as `showPart` does.
 */
export async function finishAnswer(target: string, limit: number, finishing: Finishing): Promise<void> {
  const { answer } = finishing;
  const pieces = plan(answer, target, limit);
  answer.text = target;
  try {
    for (const [index, piece] of pieces.entries()) {
      const part = (answer.parts[index] ??= newPart(index));
      part.from = piece.from;
      await showPart(part, dress(target, piece), answer, finishing.messages, finishing.patience);
    }
  } catch (error) {
    if (!(error instanceof PartTooLong) || limit <= SMALLEST_LIMIT) throw error;
    for (const part of answer.parts) part.from = undefined;
    await finishAnswer(target, Math.max(SMALLEST_LIMIT, Math.floor(limit / 2)), finishing);
    return;
  }
  for (const { id } of answer.parts.splice(pieces.length)) {
    if (id !== undefined) answer.replaced.push(id);
  }
  await removeReplaced(finishing);
}

/**
 * Where the text is cut: as the parts shown so far are, if they show its beginning, and anew behind the last of these
 * cuts. Pieces of white space alone are left out, since Slack refuses them.
 */
function plan({ parts, text }: Answer, target: string, limit: number): Range[] {
  const cuts = parts.flatMap(({ from }) => (from === undefined ? [] : [from]));
  const last = cuts.at(-1) ?? 0;
  const fits = last < target.length && target.startsWith(text.slice(0, last));
  const kept = fits ? cuts.slice(0, -1).map((from, index) => ({ from, to: cuts[index + 1] ?? from })) : [];
  const pieces = [...kept, ...ranges(target, limit, fits ? last : 0)];
  return pieces.filter(({ from, to }) => target.slice(from, to).trim() !== '');
}

async function removeReplaced({ answer, messages, patience, log }: Finishing): Promise<void> {
  const { replaced } = answer;
  for (let id = replaced[0]; id !== undefined; id = replaced[0]) {
    const gone = id;
    try {
      await persist(() => messages.remove(gone), patience);
    } catch (error) {
      if (!(error instanceof SlackRefused)) throw error;
      if (error.code !== 'message_not_found') log?.('slack.not_removed', { reason: error.code });
    }
    replaced.shift();
  }
}
