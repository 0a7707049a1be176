import type { KnownBlock } from '@slack/types';
import type { Step } from '../../ports/platform.ts';
import { cutAt, closeOpenBlocks, type Range, ranges, type TextLimit } from '../../markdown/index.ts';
import { SlackApiError } from '../api/call.ts';
import type { Log } from '../deps.ts';
import type { Messages } from '../posts/messages.ts';
import { type LiveAnswer, newPart, type AnswerPart, stepsOf } from './live-answer.ts';
import { type RetryOptions, retrySlack } from '../api/retry.ts';
import { PartTooLong } from './refused-message.ts';
import { syncMessage } from './sync-message.ts';
import { sizeOfCards } from './task-cards.ts';

/** In the unit of the answer's limit. */
const MIN_LIMIT = 1_000;

export type PublishOptions = {
  readonly answer: LiveAnswer;
  readonly messages: Messages;
  readonly patience: RetryOptions;
  readonly log?: Log | undefined;
};

/** What an answer is to show at last: inert Markdown, not empty; the steps; what stands under its last message. */
export type PublishTarget = {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly under: readonly KnownBlock[];
};

/**
 * Makes the messages of an answer show the target and nothing else: each part is shown, what is missing posted, what is
 * too many removed. Parts are at most as large as the answer's limit says, smaller (`max`) if Slack finds them too long. Throws
 * as `syncMessage` does.
 */
export async function publishAnswer(
  target: PublishTarget,
  finishing: PublishOptions,
  max = finishing.answer.limit.max,
): Promise<void> {
  const { answer } = finishing;
  const { text } = target;
  const limit = { ...answer.limit, max };
  const pieces = plan(answer, target, limit);
  answer.text = text;
  try {
    for (const [index, piece] of pieces.entries()) {
      const part = (answer.parts[index] ??= newPart(index));
      part.from = piece.from;
      const steps = stepsOf(part, answer, target.steps);
      const under = index === pieces.length - 1 ? target.under : [];
      const content = { text: closeOpenBlocks(text, piece, limit), steps, under };
      await syncMessage(part, content, answer, finishing.messages, finishing.patience);
    }
  } catch (error) {
    if (!(error instanceof PartTooLong) || max <= MIN_LIMIT) throw error;
    for (const part of answer.parts) part.from = undefined;
    await publishAnswer(target, finishing, Math.max(MIN_LIMIT, Math.floor(max / 2)));
    return;
  }
  for (const { id } of answer.parts.splice(pieces.length)) {
    if (id !== undefined) answer.replaced.push(id);
  }
  await removeReplaced(finishing);
}

/**
 * Where the text is cut: as the parts shown so far are, if they show its beginning, and anew behind the last of these
 * cuts, where the task cards of the last part take room. Pieces of white space alone are left out, since Slack refuses them.
 */
function plan(answer: LiveAnswer, { text: target, steps }: PublishTarget, limit: TextLimit): Range[] {
  const { parts, text } = answer;
  const cuts = parts.flatMap(({ from }) => (from === undefined ? [] : [from]));
  const last = cuts.at(-1) ?? 0;
  const fits = last < target.length && target.startsWith(text.slice(0, last));
  const kept = fits ? cuts.slice(0, -1).map((from, index) => ({ from, to: cuts[index + 1] ?? from })) : [];
  const from = fits ? last : 0;
  const part = parts[kept.length];
  const reserved = part?.native ? roomOfCards(part, stepsOf(part, answer, steps)) : 0;
  const to = from < target.length ? cutAt(target, from, limit, { reserved }) : from;
  const pieces = [...kept, { from, to }, ...ranges(target, limit, to)];
  return pieces.filter((piece) => target.slice(piece.from, piece.to).trim() !== '');
}

/** Of the cards that stand there, and of the titles of those that are still to come. */
function roomOfCards({ cards }: AnswerPart, steps: readonly Step[]): number {
  const missing = steps.filter(({ id }) => !cards.has(id));
  return sizeOfCards([...cards.values(), ...missing.map((step) => ({ ...step, details: undefined }))]);
}

/** Takes away all that the answer has posted, as far as Slack lets it: its thread is gone. Never throws. */
export async function removeAll(finishing: PublishOptions): Promise<void> {
  const { answer, messages, log } = finishing;
  const ids = answer.parts.splice(0).flatMap(({ id }) => (id === undefined ? [] : [id]));
  answer.replaced.push(...messages.strays.splice(0), ...ids);
  try {
    await removeReplaced(finishing);
    if (answer.doubts === 0) return;
    // A post of which nothing was heard may stand in the channel.
    const loose = await retrySlack(answer.findLoose, finishing.patience);
    answer.replaced.push(...loose.map(({ id }) => id));
    answer.doubts = 0;
    await removeReplaced(finishing);
  } catch {
    log?.('slack.not_removed', { reason: 'no answer in time' });
  }
}

async function removeReplaced({ answer, messages, patience, log }: PublishOptions): Promise<void> {
  const { replaced } = answer;
  for (let id = replaced[0]; id !== undefined; id = replaced[0]) {
    const gone = id;
    try {
      await retrySlack(() => messages.remove(gone), patience);
    } catch (error) {
      if (!(error instanceof SlackApiError)) throw error;
      if (error.code !== 'message_not_found') log?.('slack.not_removed', { reason: error.code });
    }
    replaced.shift();
  }
}
