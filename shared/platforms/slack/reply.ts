import type { MessageId, TurnRef } from '../../conversation/index.ts';
import type { Reply } from '../platform.ts';
import type { Budget, SlackDeps } from './deps.ts';
import { finishAnswer } from './finish.ts';
import type { FindLeftovers } from './leftovers.ts';
import { createMarkup, inert } from './markup.ts';
import { createMessages } from './messages.ts';
import { type Answer, idsOf, newPart } from './part.ts';
import { Stream } from './stream.ts';

const FINISH_WITHIN_MS = 60_000;
const PART_LIMIT = 11_000;
const BUDGET: Budget = { appendsPerMinute: 100, updatesPerMinute: 50 };
const EMPTY = '_The answer is empty._';

export type ReplyDeps = SlackDeps & {
  readonly find: FindLeftovers;
  /** How many answers are being shown at this moment, over all replies of the workspace in this process. */
  readonly traffic: { open: number };
};

/** An answer in a Slack thread. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(deps: ReplyDeps, turn: TurnRef, existing: readonly MessageId[]): Reply {
  const { time, log, traffic, budget = BUDGET, partLimit: limit = PART_LIMIT } = deps;
  const messages = createMessages(deps.call, turn);
  const answer: Answer = {
    text: '',
    parts: existing.map((id, index) => newPart(index, id)),
    lookFirst: false,
    doubts: 0,
    replaced: [],
    find: () => deps.find(turn),
  };
  const stream = new Stream({ answer, messages, time, budget, limit, traffic, log });
  const markup = createMarkup();
  let last: Promise<unknown> = Promise.resolve();

  const finish = async (text: string): Promise<MessageId[]> => {
    await stream.halt();
    const deadline = time.now() + (deps.finishWithinMs ?? FINISH_WITHIN_MS);
    const finishing = { answer, messages, patience: { time, deadline }, log };
    try {
      await finishAnswer(inert(text).trimEnd() || EMPTY, limit, finishing);
    } catch (error) {
      stream.settle(error);
      throw error;
    }
    stream.settle();
    return idsOf(answer);
  };
  return {
    write: (words) => stream.write(markup.feed(words)),
    step: () => undefined,
    stopped: new AbortController().signal,
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
