import type { ReportOpenStreams, Time, Budget, SlackDeps, Log } from '../deps.ts';
import type { MessageId, TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import { createLiveReply, newAnswerState, type Pacing, type AnswerState } from '../../live-answer/index.ts';
import { type ReplyContext, type Reply, ThreadDeletedError } from '../../ports/index.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { isGone, failureOf, nameOf } from '../api/errors.ts';
import { stopBlocks, type StopBlocks } from '../blocks/answer-blocks.ts';
import { deleteReply } from './delete-answer.ts';
import { type FindOrphans, findOwnMessages } from './orphaned-messages.ts';
import { createMessages, ChannelGoneError, type Messages } from '../posts/messages.ts';
import type { AssistantSession } from '../session/assistant-session.ts';
import { STREAM_LIMIT } from './rendering.ts';
import { SlackTransport } from './transport.ts';

/** Answers that are complete sooner are not reported. */
const MIN_REPORTED_MS = 300;
/**
 * The second report follows soon, since processes that begin together learn of each other only once all of them have reported.
 * From then on changes may be known later: each report is a write, and most answers take less than the interval.
 */
const SECOND_REPORT_AFTER_MS = 1_500;
const REPORT_INTERVAL_MS = 14_000;
/** While nothing is known of other processes and Slack throttles, they count as much as this process. */
const THROTTLED_MS = 180_000;
/** How long a report of others is valid. */
const OTHERS_TTL_MS = 20_000;

/** How many answers are being streamed in a workspace: in this process and, as far as they have reported it, in others. */
export class StreamLoad {
  readonly #time: Pick<Time, 'now'>;
  readonly #report: ReportOpenStreams | undefined;
  #here = 0;
  #others = 0;
  #reportedAt = -Infinity;
  /** No report before so many ms after the last one. */
  #nextReportAfterMs = 0;
  #othersKnownAt = -Infinity;
  #throttledAt = -Infinity;

  constructor(time: Pick<Time, 'now'>, report?: ReportOpenStreams) {
    this.#time = time;
    this.#report = report;
  }

  get open(): number {
    const now = this.#time.now();
    if (now - this.#othersKnownAt < OTHERS_TTL_MS) return this.#here + this.#others;
    return now - this.#throttledAt < THROTTLED_MS ? 2 * this.#here : this.#here;
  }

  /** One more answer is streamed, until the returned function is called. */
  begin(): () => void {
    this.#here += 1;
    return () => (this.#here -= 1);
  }

  /** Slack asks to wait. */
  throttled(): void {
    this.#throttledAt = this.#time.now();
  }

  /** An answer has been streamed for so long. Reports it, soon once more, then every 14 s. Nobody waits for the report. */
  streamedFor(ms: number): void {
    const now = this.#time.now();
    const sinceReportMs = now - this.#reportedAt;
    if (!this.#report || ms < MIN_REPORTED_MS || sinceReportMs < this.#nextReportAfterMs) return;
    this.#nextReportAfterMs = sinceReportMs > OTHERS_TTL_MS ? SECOND_REPORT_AFTER_MS : REPORT_INTERVAL_MS;
    this.#reportedAt = now;
    const setOthers = (others: number): void => {
      this.#others = others;
      this.#othersKnownAt = now;
    };
    // Without the table, each process counts its own answers only; Slack then says when to wait.
    this.#report(this.#here).then(setOthers, () => undefined);
  }
}

/** What the time until the next request of a streamed answer depends on. */
type AppendInterval = {
  /** Requests so far, at least one. */
  readonly sent: number;
  /** Answers that are being streamed in the workspace now, this one included. */
  readonly open: number;
  /** Requests of the method that Slack allows the workspace per minute. */
  readonly perMinute: number;
};

const SECOND_INTERVAL_MS = 400;

const THIRD_INTERVAL_MS = 1_700;

const EARLY_INTERVAL_MS = 1_600;

const MAX_INTERVAL_MS = 2_200;

const LATE_FROM_REQUEST = 10;

const LATE_INCREMENT_MS = 60;

/** The share of the rate limit that streams use: other methods, other processes and Slack's own clock need the rest. */
const USABLE_SHARE = 0.8;

/**
 * Time between the end of one request and the next, in ms. The first words are sent at once, the second request follows soon, and
 * the intervals grow with the answer: 100, 1,000 and 10,000 tokens at 20 ms per token take 2, 12 and about 95 requests. All open
 * answers together stay within the rate limit of the workspace.
 */
export function appendInterval({ sent, open, perMinute }: AppendInterval): number {
  const fairIntervalMs = open > 1 ? (open * 60_000) / (perMinute * USABLE_SHARE) : 0;
  return Math.ceil(Math.max(intervalAfter(sent), fairIntervalMs));
}

function intervalAfter(sent: number): number {
  if (sent === 1) return SECOND_INTERVAL_MS;
  if (sent === 2) return THIRD_INTERVAL_MS;
  if (sent <= LATE_FROM_REQUEST) return EARLY_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, EARLY_INTERVAL_MS + LATE_INCREMENT_MS * (sent - LATE_FROM_REQUEST));
}

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
  const transport = new SlackTransport({
    turn,
    messages,
    limit,
    locale,
    find: () => findOwnMessages(deps.find, deps.others, turn),
  });
  const live = { answer, transport, pacing: pacingOf(deps), time, log, locale, publishTimeoutMs };
  const { stream, ...reply } = createLiveReply(live, {
    halting: () => stopButton.end(),
    publishing: () => session.finishing(),
    failed: async (error, _, publishing) => {
      if (error instanceof ThreadDeletedError) session.leave();
      if (error instanceof ChannelGoneError) log?.('slack.channel-gone', { reason: error.message });
      else if (error instanceof ThreadDeletedError)
        await deleteReply(publishing, messages, () => deps.findUnthreaded(turn));
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
