import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { localize } from '../../../i18n/index.ts';
import {
  type ReplyContext,
  type Reply,
  ThreadDeletedError,
  type AnswerActions,
} from '../../ports/platform.ts';
import { createSanitizer, sanitize, lastSteps } from '../../markdown/index.ts';
import type { SentFile } from '../api/call.ts';
import { isClosed, isForbidden } from '../api/errors.ts';
import { closingRows, quoteOf, stopRows } from '../blocks/answer-components.ts';
import type { DiscordDeps } from '../deps.ts';
import { answerDirectly, sendFilesDirectly } from './direct-answer.ts';
import { at } from '../inbound/json-path.ts';
import { publishAnswer, type PublishOptions, removeAll, type PublishTarget } from './publish.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import { createMessages, type Messages } from '../api/messages.ts';
import { ChannelUnreachable } from '../api/message-sender.ts';
import { type LiveAnswer, idsOf, newLiveAnswer, newPart } from './live-answer.ts';
import type { PermissionFinder } from '../lookup/permissions.ts';
import { botMayWrite, isPrivate, isSeen } from '../lookup/conversation-key.ts';
import { Stream } from './stream.ts';
import { tellPrivately } from './ephemeral.ts';
import type { QueueStatusMessages } from './queue-status-message.ts';
import type { AnswerChannel } from '../api/answer-channel.ts';

const FINISH_TIMEOUT_MS = 60_000;
const MAX_MESSAGES = 5;
/** By a ticket alone, Discord takes one answer and five more messages; one is kept for what is said aside. */
const MAX_BY_TOKEN = 5;

export type ReplyDeps = DiscordDeps & {
  readonly find: FindOrphans;
  readonly where: AnswerChannel;
  readonly permissions: PermissionFinder;
  readonly lines: Pick<QueueStatusMessages, 'take' | 'has'>;
};

/** An answer on Discord. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(
  deps: ReplyDeps,
  turn: TurnRef,
  existing: readonly MessageId[],
  about: ReplyContext = {},
): Reply {
  const { time, log, mostMessages = MAX_MESSAGES } = deps;
  const alone = !botMayWrite(turn.thread);
  const most = alone ? Math.min(mostMessages, MAX_BY_TOKEN) : mostMessages;
  const answer = newLiveAnswer(alone ? [] : existing, () => deps.find(turn));
  const messages = opener(deps, turn, { answer, existing, about, alone });
  const stream = new Stream({ answer, messages, time, stop: (locale) => stopRows(turn, locale), most, log });
  const markup = createSanitizer();
  const never = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  const finish = async (words: string, under?: AnswerActions): Promise<MessageId[]> => {
    await stream.halt();
    const deadline = time.now() + (deps.finishWithinMs ?? FINISH_TIMEOUT_MS);
    const by = await messages();
    const { locale } = by;
    const handOver = (files: readonly SentFile[], error: unknown) =>
      sendFilesDirectly(deps, { turn, locale, error }, files);
    const finishing = { answer, messages: by, patience: { time, deadline }, most, handOver, log };
    const text = sanitize(words).trimEnd() || `_${localize(locale, 'answers.empty')}_`;
    const steps = lastSteps(answer.steps.values(), under?.steps);
    const target = { text, steps, under: under ? closingRows(turn, under) : [], footer: under?.footer };
    try {
      await publishAnswer(target, finishing);
    } catch (error) {
      if (!(error instanceof ChannelUnreachable)) {
        if (error instanceof ThreadDeletedError) await goElsewhere(deps, turn, error, target, finishing);
        stream.settle(error);
        throw error;
      }
      // What is private, or where the bot is not, is posted nowhere else. It is stored; the person is told.
      await tellPrivately(deps, turn, localize(locale, 'answers.discord.late'));
    }
    stream.settle();
    return idsOf(answer);
  };
  return {
    write: (words) => stream.write(markup.feed(words)),
    step: (step) => stream.step(step),
    stopped: never.signal,
    stopStreaming: () => stream.halt(),
    posted: () => stream.posted(),
    get hasUnconfirmedPosts() {
      return answer.doubts > 0 || deps.lines.has(turn);
    },
    publish: (text, under) => {
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
  error: ThreadDeletedError,
  target: PublishTarget,
  finishing: PublishOptions,
): Promise<void> {
  await removeAll(finishing);
  const { locale } = finishing.messages;
  if (isClosed(error)) await answerDirectly(deps, { turn, locale, error: error.cause }, target);
}

type Opening = {
  readonly answer: LiveAnswer;
  readonly existing: readonly MessageId[];
  readonly about: ReplyContext;
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
