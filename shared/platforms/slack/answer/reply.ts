import type { MessageId, TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import {
  deleteMessages,
  deleteReplaced,
  createLiveReply,
  newAnswerState,
  type Pacing,
  type Publishing,
  type AnswerState,
} from '../../live-answer/index.ts';
import { type ReplyContext, type Reply, ThreadDeletedError } from '../../ports/index.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { isGone, failureOf, nameOf } from '../api/errors.ts';
import { retrySlack } from '../api/retry.ts';
import { stopBlocks, type StopBlocks } from '../blocks/answer-blocks.ts';
import type { Budget, SlackDeps, Log, Time } from '../deps.ts';
import type { FindOrphans } from './orphaned-messages.ts';
import { createMessages, ChannelGoneError, type Messages } from '../posts/messages.ts';
import type { AssistantSession } from '../session/assistant-session.ts';
import { appendInterval, type StreamLoad } from './stream-load.ts';
import { type SlackLayout, STREAM_LIMIT } from './rendering.ts';
import { SlackTransport } from './transport.ts';

const BUDGET: Budget = { appendsPerMinute: 100, updatesPerMinute: 50 };

type ReplyDeps = SlackDeps & {
  readonly find: FindOrphans;
  readonly findUnthreaded: FindOrphans;
  /** Shared by all replies of the workspace. */
  readonly streamLoad: StreamLoad;
  readonly sessionOf: (turn: TurnRef) => AssistantSession;
  readonly locale?: Promise<Locale> | undefined;
  readonly others?: ReplyContext['others'];
};

/** An answer in a Slack thread. `existing` are messages of this turn from an earlier attempt, in order. */
export function createReply(deps: ReplyDeps, turn: TurnRef, existing: readonly MessageId[]): Reply {
  const { time, log, locale, limit = STREAM_LIMIT, finishWithinMs: publishTimeoutMs } = deps;
  const stopped = new AbortController();
  const session = deps.sessionOf(turn).replying();
  const messages = createMessages(session.calls(abortWhenStopped(deps.call, stopped)), turn);
  const answer = newAnswerState(existing);
  const transport = new SlackTransport({ turn, messages, limit, locale, find: () => findOwn(deps, turn) });
  const live = { answer, transport, pacing: pacingOf(deps), time, log, locale, publishTimeoutMs };
  const { stream, ...reply } = createLiveReply(live, {
    halting: () => stopButton.end(),
    publishing: () => session.finishing(),
    failed: async (error, _, publishing) => {
      if (error instanceof ThreadDeletedError) session.leave();
      if (error instanceof ChannelGoneError) log?.('slack.channel-gone', { reason: error.message });
      else if (error instanceof ThreadDeletedError)
        await deleteAll(publishing, messages, () => deps.findUnthreaded(turn));
      throw error;
    },
    published: () => session.end(stopped.signal.aborted),
  });
  const stopButton = new StopButton({
    answer,
    messages,
    showsStop: () => session.begin(),
    stop: async () => stopBlocks(turn, (await locale) ?? 'en'),
    isAppending: () => stream.isAppending,
    time,
    log,
  });
  return {
    write: (words) => {
      reply.write(words);
      stopButton.goesOn();
    },
    step: (step) => {
      reply.step(step);
      stopButton.goesOn();
    },
    stopped: stopped.signal,
    enableStopButton: () => void session.begin().catch(() => undefined),
    stopStreaming: async (willContinue = false) => {
      const posted = [...(await stream.halt()), ...(await stopButton.posted())];
      if (!willContinue) await session.end(true);
      return posted;
    },
    posted: async () => [...(await stream.posted()), ...(await stopButton.posted())],
    get hasUnconfirmedPosts() {
      return answer.unconfirmedPosts > 0;
    },
    publish: reply.publish,
  };
}

/** All answers of a workspace share its rate limits. */
const pacingOf = ({ streamLoad, budget = BUDGET }: Pick<ReplyDeps, 'streamLoad' | 'budget'>): Pacing => ({
  intervalMs: (sent, isNative) => {
    const perMinute = isNative ? budget.appendsPerMinute : budget.updatesPerMinute;
    return appendInterval({ sent, open: streamLoad.open, perMinute });
  },
  begin: () => streamLoad.begin(),
  sent: (sinceFirstMs) => streamLoad.streamedFor(sinceFirstMs),
  throttled: () => streamLoad.throttled(),
});

/** Deletes all that the answer has posted, as far as Slack allows it: its thread is gone. Never throws. */
async function deleteAll(
  publishing: Publishing<SlackLayout>,
  messages: Messages,
  findUnthreaded: () => ReturnType<FindOrphans>,
): Promise<void> {
  const { answer, retry, log } = publishing;
  answer.replaced.push(...messages.unthreadedPosts.splice(0));
  try {
    await deleteMessages(publishing);
    if (answer.unconfirmedPosts === 0) return;
    // A post with an unknown outcome may stand in the channel.
    const unthreaded = await retrySlack(findUnthreaded, retry);
    answer.replaced.push(...unthreaded.map(({ id }) => id));
    answer.unconfirmedPosts = 0;
    await deleteReplaced(publishing);
  } catch {
    log?.('slack.message-delete-failed', { reason: 'no response in time' });
  }
}

/** Calls that abort `stopped` when Slack says that the person has stopped the answer, or that nothing can be posted in the channel any more. */
function abortWhenStopped(call: SlackCall, stopped: AbortController): SlackCall {
  return async (method, args) => {
    try {
      return await call(method, args);
    } catch (error) {
      if (error instanceof SlackApiError && (error.code === 'stopped_by_user' || isGone(error.code)))
        stopped.abort(error);
      throw error;
    }
  };
}

/**
 * Finds the messages that may belong to this answer. A stream without metadata may belong to another
 * answer, whose question was deleted meanwhile.
 */
async function findOwn({ find, others }: ReplyDeps, turn: TurnRef): ReturnType<FindOrphans> {
  const orphaned = await find(turn);
  if (!others || orphaned.every(({ part }) => part !== undefined)) return orphaned;
  const foreign = new Set((await others()).posted);
  return orphaned.filter(({ id, part }) => part !== undefined || !foreign.has(id));
}

/** An answer that is complete sooner needs no Stop button. */
const OFFER_AFTER_MS = 5_000;
/** The number of the button's message among the parts of its answer, larger than any answer has. */
const STOP_PART = 1_000;

type StopButtonDeps = {
  readonly answer: Pick<AnswerState, 'replaced' | 'unconfirmedPosts'>;
  readonly messages: Messages;
  /** Whether Slack shows its own Stop in this thread. Rejects when that is unknown. */
  readonly showsStop: () => Promise<boolean>;
  readonly stop: StopBlocks;
  /** Whether words are appended to a native stream. A message that is edited has its own Stop button. */
  readonly isAppending: () => boolean;
  readonly time: Time;
  readonly log?: Log | undefined;
};

/**
 * A Stop button in a small message below a native stream that takes long, where Slack shows no Stop. It cannot be in the
 * stream: removing it there needs an edit of the whole message, which loses the task cards.
 */
class StopButton {
  readonly #deps: StopButtonDeps;
  #since: number | undefined;
  #running: Promise<void> | undefined;
  #over = false;
  #id: MessageId | undefined;

  constructor(deps: StopButtonDeps) {
    this.#deps = deps;
  }

  /** Posts the button if the answer takes long by now. Called while text is written, not by a timer, so that it stops with it. */
  goesOn(): void {
    const now = this.#deps.time.now();
    this.#since ??= now;
    if (now - this.#since < OFFER_AFTER_MS || !this.#deps.isAppending()) return;
    this.#running ??= this.#offer().catch((error: unknown) => this.#failed(error));
  }

  /** The message of the button, if it was posted. */
  async posted(): Promise<MessageId[]> {
    await this.#running;
    return this.#id === undefined ? [] : [this.#id];
  }

  /** Hands the message over to be deleted with other surplus messages of the answer. */
  async end(): Promise<void> {
    this.#over = true;
    this.#deps.answer.replaced.push(...(await this.posted()));
    this.#id = undefined;
  }

  async #offer(): Promise<void> {
    const { messages, showsStop, stop } = this.#deps;
    // If it is unknown, Slack's own is likely shown.
    if ((await showsStop().catch(() => true)) || this.#over) return;
    const blocks = await stop();
    if (!this.#over) this.#id = await messages.post(STOP_PART, { blocks, text: '⏹' });
  }

  #failed(error: unknown): void {
    const { answer, log } = this.#deps;
    const failure = failureOf(error);
    // It may have been posted; it is found later by its number.
    if (failure.kind === 'unknown') answer.unconfirmedPosts += 1;
    log?.('slack.stop-button-failed', { reason: nameOf(failure) });
  }
}
