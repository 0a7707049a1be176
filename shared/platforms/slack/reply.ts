import type { MessageId, TurnRef } from '../../conversation/index.ts';
import type { Reply } from '../platform.ts';
import { failureOf } from './call-failure.ts';
import type { Budget, SlackDeps } from './deps.ts';
import type { FindLeftovers } from './leftovers.ts';
import { createMarkup, inert } from './markup.ts';
import { createMessages } from './messages.ts';
import { type Answer, idsOf, newPart } from './part.ts';
import { type Patience, pauseBefore } from './patience.ts';
import { PartTooLong, showPart } from './show.ts';
import { dress, type Range, ranges } from './split.ts';
import { Stream } from './stream.ts';

const FINISH_WITHIN_MS = 60_000;
const PART_LIMIT = 11_000;
const SMALLEST_LIMIT = 1_000;
const BUDGET: Budget = { appendsPerMinute: 100, updatesPerMinute: 50 };
const EMPTY = '_The answer is empty._';

export type ReplyDeps = SlackDeps & {
  readonly find: FindLeftovers;
  readonly traffic: { open: number };
};

/** An answer in a Slack thread. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(deps: ReplyDeps, turn: TurnRef, existing: readonly MessageId[]): Reply {
  const limit = deps.partLimit ?? PART_LIMIT;
  const messages = createMessages(deps.call, turn);
  const answer: Answer = {
    text: '',
    parts: existing.map((id, index) => newPart(index, id)),
    lookFirst: false,
    doubts: 0,
    replaced: [],
    find: () => deps.find(turn),
  };
  const { time, log, traffic, budget = BUDGET } = deps;
  const stream = new Stream({ answer, messages, time, budget, limit, traffic, log });
  const markup = createMarkup();
  let last: Promise<unknown> = Promise.resolve();

  const finish = async (text: string): Promise<MessageId[]> => {
    await stream.halt();
    const patience: Patience = { time, deadline: time.now() + (deps.finishWithinMs ?? FINISH_WITHIN_MS) };
    const whole = inert(text).trimEnd() || EMPTY;
    try {
      await showWhole(whole, limit);
    } catch (error) {
      stream.settle(error);
      throw error;
    }
    stream.settle();
    return idsOf(answer);

    async function showWhole(target: string, room: number): Promise<void> {
      const pieces = plan(answer, target, room);
      answer.text = target;
      try {
        for (const [index, piece] of pieces.entries()) {
          const part = (answer.parts[index] ??= newPart(index));
          part.from = piece.from;
          await showPart(part, dress(target, piece), answer, messages, patience);
        }
      } catch (error) {
        if (!(error instanceof PartTooLong) || room <= SMALLEST_LIMIT) throw error;
        for (const part of answer.parts) part.from = undefined;
        await showWhole(target, Math.max(SMALLEST_LIMIT, Math.floor(room / 2)));
        return;
      }
      const tooMany = answer.parts.splice(pieces.length).flatMap(({ id }) => (id === undefined ? [] : [id]));
      answer.replaced.push(...tooMany);
      await removeAll(patience);
    }
  };

  const removeAll = async (patience: Patience): Promise<void> => {
    for (let attempt = 0; answer.replaced.length > 0; attempt += 1) {
      const [id] = answer.replaced;
      if (id === undefined) return;
      try {
        await messages.remove(id);
        answer.replaced.shift();
      } catch (error) {
        const failure = failureOf(error);
        if (failure.kind === 'refused') {
          if (failure.code !== 'message_not_found') log?.('slack.not_removed', { reason: failure.code });
          answer.replaced.shift();
        } else {
          await pauseBefore(attempt, failure.kind === 'busy' ? failure.waitMs : undefined, patience, error);
        }
      }
    }
  };

  return {
    write: (words) => stream.write(markup.feed(words)),
    posted: () => stream.posted(),
    get doubtful() {
      return answer.doubts > 0;
    },
    finish: (text) => {
      const done = last.then(() => finish(text));
      last = done.catch(() => undefined);
      return done;
    },
  };
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
