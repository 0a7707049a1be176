import type { MessageId, TurnRef } from '../../../domain/index.ts';
import { type Locale, localize } from '../../../i18n/index.ts';
import {
  type ReplyContext,
  type Reply,
  type Step,
  ThreadDeletedError,
  type AnswerActions,
} from '../../ports/platform.ts';
import { createSanitizer, sanitize, lastSteps } from '../../markdown/index.ts';
import { closingBlocks, stopBlocks } from '../blocks/answer-blocks.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { isGone } from '../api/errors.ts';
import type { Budget, Log, SlackDeps } from '../deps.ts';
import { publishAnswer, removeAll } from './publish.ts';
import type { FindOrphans } from '../posts/orphaned-messages.ts';
import { createMessages, ChannelGoneError } from '../posts/messages.ts';
import { StopButton } from '../session/stop-button.ts';
import { type LiveAnswer, idsOf, newLiveAnswer, shownCard } from './live-answer.ts';
import type { AssistantSession } from '../session/assistant-session.ts';
import { Stream } from './stream.ts';
import { fittedCards, STREAM_LIMIT } from './task-cards.ts';
import type { StreamLoad } from './stream-load.ts';

const FINISH_TIMEOUT_MS = 60_000;
const BUDGET: Budget = { appendsPerMinute: 100, updatesPerMinute: 50 };

export type ReplyDeps = SlackDeps & {
  readonly find: FindOrphans;
  readonly findLoose: FindOrphans;
  /** Shared by all replies of the workspace. */
  readonly traffic: StreamLoad;
  readonly sessionOf: (turn: TurnRef) => AssistantSession;
  readonly locale?: Promise<Locale> | undefined;
  readonly others?: ReplyContext['others'];
};

/** Whether others than who asked may be in the place: anywhere but in a chat of the two. */
const isWatched = ({ thread }: TurnRef): boolean => !thread.channel.startsWith('D');

/** An answer in a Slack thread. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(deps: ReplyDeps, turn: TurnRef, existing: readonly MessageId[]): Reply {
  const { time, log, traffic, budget = BUDGET, limit = STREAM_LIMIT } = deps;
  const locale = async (): Promise<Locale> => (await deps.locale) ?? 'en';
  const stopped = new AbortController();
  const session = deps.sessionOf(turn).replying();
  const messages = createMessages(session.calls(noticing(deps.call, stopped)), turn);
  const finders = { find: () => findOwn(deps, turn), findLoose: () => deps.findLoose(turn) };
  const answer = newLiveAnswer(existing, { ...finders, limit });
  const stop = async () => stopBlocks(turn, await locale());
  const live = { answer, messages, stop, time, log };
  const stream = new Stream({ ...live, budget, traffic, watched: isWatched(turn) });
  const ownStop = new StopButton({ ...live, ...shownBy(stream, session) });
  const markup = createSanitizer();
  let last: Promise<unknown> = Promise.resolve();

  const finish = async (words: string, under?: AnswerActions): Promise<MessageId[]> => {
    await Promise.all([stream.halt(), ownStop.end()]);
    session.finishing();
    const deadline = time.now() + (deps.finishWithinMs ?? FINISH_TIMEOUT_MS);
    const finishing = { answer, messages, patience: { time, deadline }, log };
    const text = sanitize(words).trimEnd() || `_${localize(await locale(), 'answers.empty')}_`;
    const steps = lastCards(answer, under?.steps);
    const closing = under ? closingBlocks(turn, under, text) : [];
    try {
      await publishAnswer({ text, steps, under: closing }, finishing);
    } catch (error) {
      await leave(error, finishing, session);
      stream.settle(error);
      throw error;
    }
    stream.settle();
    await session.end(stopped.signal.aborted);
    return idsOf(answer);
  };
  return {
    write: (words) => {
      stream.write(markup.feed(words));
      ownStop.goesOn();
    },
    step: (step) => {
      stream.step(step);
      ownStop.goesOn();
    },
    stopped: stopped.signal,
    enableStopButton: () => void session.begin().catch(() => undefined),
    stopStreaming: async (goesOn = false) => {
      const posted = [...(await stream.halt()), ...(await ownStop.posted())];
      if (!goesOn) await session.end(true);
      return posted;
    },
    posted: async () => [...(await stream.posted()), ...(await ownStop.posted())],
    get hasUnconfirmedPosts() {
      return answer.doubts > 0;
    },
    publish: (text, under) => {
      const done = last.then(() => finish(text, under));
      last = done.catch(() => undefined);
      return done;
    },
  };
}

const shownBy = (stream: Stream, session: AssistantSession) => ({
  native: () => stream.native,
  showsStop: () => session.begin(),
});

/** The last states of all steps, as far as cards have room for them. */
const lastCards = (answer: LiveAnswer, last: readonly Step[] | undefined): Step[] =>
  fittedCards(lastSteps(answer.steps.values(), last), answer.steps, (id) => shownCard(answer, id));

/** Nothing more can be said: what is there goes where only the thread is gone. */
async function leave(
  error: unknown,
  finishing: Parameters<typeof removeAll>[0] & { log?: Log | undefined },
  session: AssistantSession,
) {
  if (error instanceof ThreadDeletedError) session.leave();
  if (error instanceof ChannelGoneError) finishing.log?.('slack.gone', { reason: error.message });
  else if (error instanceof ThreadDeletedError) await removeAll(finishing);
}

/** Calls that abort `stopped` when Slack says that the person has stopped the answer, or that there is no place for it any more. */
function noticing(call: SlackCall, stopped: AbortController): SlackCall {
  return async (method, args) => {
    try {
      return await call(method, args);
    } catch (error) {
      if (error instanceof SlackApiError && ends(error.code)) stopped.abort(error);
      throw error;
    }
  };
}

const ends = (code: string): boolean => code === 'stopped_by_user' || isGone(code);

/** Messages that may be of this answer: a stream without a mark may be what is left of another, whose question was taken back meanwhile. */
async function findOwn({ find, others }: ReplyDeps, turn: TurnRef): ReturnType<FindOrphans> {
  const found = await find(turn);
  if (!others || found.every(({ part }) => part !== undefined)) return found;
  const foreign = new Set((await others()).posted);
  return found.filter(({ id, part }) => part !== undefined || !foreign.has(id));
}
