import type { MessageId, TurnRef } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { type About, type Reply, ThreadGone, type Under } from '../platform.ts';
import { createMarkup, inert, lastSteps } from '../text/index.ts';
import type { SentFile } from './call.ts';
import { isClosed, isForbidden } from './call-failure.ts';
import { closingRows, quoteOf, stopRows } from './content.ts';
import type { DiscordDeps } from './deps.ts';
import { answerDirectly, sendFilesDirectly } from './direct-answer.ts';
import { at } from './json.ts';
import { finishAnswer, type Finishing, removeAll, type Target } from './finish.ts';
import type { FindLeftovers } from './leftovers.ts';
import { createMessages, type Messages } from './messages.ts';
import { Unreachable } from './mouth.ts';
import { type Answer, idsOf, newAnswer, newPart } from './part.ts';
import type { PermissionFinder } from './permissions.ts';
import { botMayWrite, isPrivate, isSeen } from './places.ts';
import { Stream } from './stream.ts';
import { tellPrivately } from './whisper.ts';
import type { WaitLines } from './wait-lines.ts';
import type { Where } from './where.ts';

const FINISH_WITHIN_MS = 60_000;
const MOST_MESSAGES = 5;
/** By a ticket alone, Discord takes one answer and five more messages; one is kept for what is said aside. */
const MOST_BY_TICKET = 5;

export type ReplyDeps = DiscordDeps & {
  readonly find: FindLeftovers;
  readonly where: Where;
  readonly permissions: PermissionFinder;
  readonly lines: Pick<WaitLines, 'take' | 'has'>;
};

/** An answer on Discord. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(
  deps: ReplyDeps,
  turn: TurnRef,
  existing: readonly MessageId[],
  about: About = {},
): Reply {
  const { time, log, mostMessages = MOST_MESSAGES } = deps;
  const alone = !botMayWrite(turn.thread);
  const most = alone ? Math.min(mostMessages, MOST_BY_TICKET) : mostMessages;
  const answer = newAnswer(alone ? [] : existing, () => deps.find(turn));
  const messages = opener(deps, turn, { answer, existing, about, alone });
  const stream = new Stream({ answer, messages, time, stop: (locale) => stopRows(turn, locale), most, log });
  const markup = createMarkup();
  const never = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  const finish = async (words: string, under?: Under): Promise<MessageId[]> => {
    await stream.halt();
    const deadline = time.now() + (deps.finishWithinMs ?? FINISH_WITHIN_MS);
    const by = await messages();
    const { locale } = by;
    const handOver = (files: readonly SentFile[], error: unknown) =>
      sendFilesDirectly(deps, { turn, locale, error }, files);
    const finishing = { answer, messages: by, patience: { time, deadline }, most, handOver, log };
    const text = inert(words).trimEnd() || `_${say(locale, 'answers.empty')}_`;
    const steps = lastSteps(answer.steps.values(), under?.steps);
    const target = { text, steps, under: under ? closingRows(turn, under) : [], footer: under?.footer };
    try {
      await finishAnswer(target, finishing);
    } catch (error) {
      if (!(error instanceof Unreachable)) {
        if (error instanceof ThreadGone) await goElsewhere(deps, turn, error, target, finishing);
        stream.settle(error);
        throw error;
      }
      // What is private, or where the bot is not, is posted nowhere else. It is stored; the person is told.
      await tellPrivately(deps, turn, say(locale, 'answers.discord.late'));
    }
    stream.settle();
    return idsOf(answer);
  };
  return {
    write: (words) => stream.write(markup.feed(words)),
    step: (step) => stream.step(step),
    stopped: never.signal,
    halt: () => stream.halt(),
    posted: () => stream.posted(),
    get doubtful() {
      return answer.doubts > 0 || deps.lines.has(turn);
    },
    finish: (text, under) => {
      const done = last.then(() => finish(text, under));
      last = done.catch(() => undefined);
      return done;
    },
  };
}

/** Takes away what stands where nothing more can be written; where the place is there, but not for the bot, the answer is sent to whoever asked. */
async function goElsewhere(
  deps: ReplyDeps,
  turn: TurnRef,
  error: ThreadGone,
  target: Target,
  finishing: Finishing,
): Promise<void> {
  await removeAll(finishing);
  const { locale } = finishing.messages;
  if (isClosed(error)) await answerDirectly(deps, { turn, locale, error: error.cause }, target);
}

type Opening = {
  readonly answer: Answer;
  readonly existing: readonly MessageId[];
  readonly about: About;
  /** Only tickets can write there. */
  readonly alone: boolean;
};

/** Looks for the ticket when a message is first needed. It edits the messages that were made with it, and no older ones. */
function opener(deps: ReplyDeps, turn: TurnRef, opening: Opening): () => Promise<Messages> {
  const { answer, existing, about, alone } = opening;
  let opened: Promise<Messages> | undefined;
  const open = async (): Promise<Messages> => {
    const ticket = await deps.ticketFor(turn);
    const own = ticket && alone ? existing.filter((id) => isLater(id, ticket.id)) : [];
    answer.parts.push(...own.map((id, index) => newPart(index, id)));
    const called = ticket !== undefined || (await wasCalled(deps, turn, existing));
    const question = isPrivate(turn.thread) ? '' : quoteOf(about.question ?? '');
    const asking = { quote: called ? question : '', insteadOfReference: question };
    const messages = createMessages(deps, turn, ticket, { locale: await about.locale, ...asking });
    const line = await deps.lines.take(turn);
    if (line && answer.parts.length === 0) answer.parts.push({ ...newPart(0), ...line });
    else if (line?.id !== undefined && !idsOf(answer).includes(line.id)) {
      const { id } = line;
      await messages.remove(id).catch(() => answer.replaced.push(id));
    }
    return messages;
  };
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

/** Whether a turn whose ticket has run out was a call: Discord says so of the first message of its answer. Never rejects. */
async function wasCalled(
  { call, where }: Pick<ReplyDeps, 'call' | 'where'>,
  turn: TurnRef,
  [first]: readonly MessageId[],
): Promise<boolean> {
  if (!isSeen(turn.thread)) return true;
  if (first === undefined) return false;
  try {
    const path = `/channels/${await where(turn)}/messages/${first}`;
    return at(await call({ method: 'GET', path }), 'interaction_metadata') !== undefined;
  } catch (error) {
    // What may not be read may have been a call: its question is shown once more rather than not at all.
    return isForbidden(error);
  }
}

const isLater = (id: string, than: string): boolean => BigInt(id) > BigInt(than);
