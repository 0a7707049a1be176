import type { ReportOpenStreams, Time, MethodLimits, SlackDeps, Log } from '../deps.ts';
import type { MessageId, TurnRef } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import {
  type AnswerState,
  createLiveReply,
  createAnswerState,
  type Pacing,
  type PublishHooks,
} from '../../live-answer/index.ts';
import { getFailureReason } from '../../index.ts';
import { type ReplyContext, type Reply, ThreadDeletedError } from '../../ports/index.ts';
import { classifyError, isRestricted } from '../api/errors.ts';
import { stopBlocks, type StopBlocks } from '../blocks/answer-blocks.ts';
import { deleteReply } from './delete-answer.ts';
import { type FindOrphans, findOwnMessages } from './orphaned-messages.ts';
import { abortWhenStopped, createMessages, ChannelGoneError, type Messages } from '../posts/messages.ts';
import { explainRestriction } from '../posts/explain-restriction.ts';
import type { AssistantSession } from '../session/assistant-session.ts';
import { type SlackLayout, STREAM_LIMIT } from './rendering.ts';
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

  /** The number of answers that share the rate limit now, as far as is known. */
  get open(): number {
    const now = this.#time.now();
    if (now - this.#othersKnownAt < OTHERS_TTL_MS) return this.#here + this.#others;
    return now - this.#throttledAt < THROTTLED_MS ? 2 * this.#here : this.#here;
  }

  /** Counts one more answer, until the returned function is called. */
  countAnswer(): () => void {
    this.#here += 1;
    return () => (this.#here -= 1);
  }

  /** Records that Slack asks to wait. */
  recordThrottling(): void {
    this.#throttledAt = this.#time.now();
  }

  /** Reports the answers of this process if it is due and one of them has been streamed for `ms`. Nobody waits for the report. */
  reportIfDue(ms: number): void {
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

/** The intervals of an answer that is streamed alone: after the first request, after the second, and after each further one. */
const FIRST_INTERVAL_MS = 400;
const SECOND_INTERVAL_MS = 1_700;
const EARLY_INTERVAL_MS = 1_600;
/** From this request on, each interval is longer than the one before it by the increment, up to the maximum. */
const LATE_FROM_REQUEST = 10;
const LATE_INCREMENT_MS = 60;
const MAX_INTERVAL_MS = 2_200;

/** The share of the rate limit that streams use: other methods, other processes and Slack's own clock need the rest. */
const USABLE_SHARE = 0.8;

/**
 * Time between the end of one request and the next, in ms. The first words are sent at once, the second request follows soon, and
 * the intervals grow with the answer: 100, 1,000 and 10,000 tokens at 20 ms per token take 2, 12 and about 95 requests. All open
 * answers together stay within the rate limit of the workspace.
 */
export function appendInterval({ sent, open, perMinute }: AppendInterval): number {
  const fairIntervalMs = open > 1 ? (open * 60_000) / (perMinute * USABLE_SHARE) : 0;
  return Math.ceil(Math.max(getIntervalAfter(sent), fairIntervalMs));
}

function getIntervalAfter(sent: number): number {
  if (sent === 1) return FIRST_INTERVAL_MS;
  if (sent === 2) return SECOND_INTERVAL_MS;
  if (sent <= LATE_FROM_REQUEST) return EARLY_INTERVAL_MS;
  return Math.min(MAX_INTERVAL_MS, EARLY_INTERVAL_MS + LATE_INCREMENT_MS * (sent - LATE_FROM_REQUEST));
}

/** What Slack allows a workspace: `chat.appendStream` is of tier 4, `chat.update` of tier 3. */
const METHOD_LIMITS: MethodLimits = { appendsPerMinute: 100, updatesPerMinute: 50 };

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
  const { time, log, locale, limit = STREAM_LIMIT } = deps;
  const stopped = new AbortController();
  const session = deps.sessionOf(turn).expectReply();
  const messages = createMessages(session.wrapCalls(abortWhenStopped(deps.call, stopped)), turn);
  const answer = createAnswerState(existing);
  const transport = new SlackTransport({
    turn,
    messages,
    limit,
    locale,
    find: () => findOwnMessages(deps.find, deps.others, turn),
  });
  const stopButton = new StopButton({
    answer,
    messages,
    showSlackStop: () => session.showStopButton(),
    stop: async () => stopBlocks(turn, (await locale) ?? 'en'),
    time,
    log,
  });
  const live = { answer, transport, pacing: createPacing(deps), time, log, locale };
  const { stream, ...reply } = createLiveReply(live, {
    ...sessionHooks(deps, turn, session, messages),
    onHalt: () => stopButton.handOver(),
    onPublished: () => session.end(stopped.signal.aborted),
  });
  return {
    write: (words) => {
      reply.write(words);
      stopButton.offerIfSlow(stream.isAppending);
    },
    step: (step) => {
      reply.step(step);
      stopButton.offerIfSlow(stream.isAppending);
    },
    stopped: stopped.signal,
    enableStopButton: () => void session.showStopButton().catch(() => undefined),
    stopStreaming: async (keepsStop = false) => {
      const posted = [...(await stream.halt()), ...(await stopButton.posted())];
      if (!keepsStop) await session.end(true);
      return posted;
    },
    posted: async () => [...(await stream.posted()), ...(await stopButton.posted())],
    get hasUnconfirmedPosts() {
      return answer.unconfirmedPosts > 0;
    },
    publish: reply.publish,
  };
}

/** Ends the session with the last message of the answer, or with its thread. Deletes what was posted in a thread that is gone. */
const sessionHooks = (
  deps: ReplyDeps,
  turn: TurnRef,
  session: AssistantSession,
  messages: Messages,
): Pick<PublishHooks<SlackLayout>, 'onPublish' | 'onFailure'> => ({
  onPublish: () => session.expectLastMessage(),
  onFailure: async (error, _, publishing) => {
    if (error instanceof ThreadDeletedError) session.discard();
    if (error instanceof ChannelGoneError) {
      deps.log?.('slack.channel-gone', { reason: error.message });
      if (isRestricted(error.message)) await explainRestriction(deps, turn);
    } else if (error instanceof ThreadDeletedError)
      await deleteReply(publishing, messages, () => deps.findUnthreaded(turn));
    throw error;
  },
});

/** All answers of a workspace share its rate limits. */
const createPacing = ({
  streamLoad,
  methodLimits = METHOD_LIMITS,
}: Pick<ReplyDeps, 'streamLoad' | 'methodLimits'>): Pacing => ({
  intervalMs: (sent, isNative) => {
    const perMinute = isNative ? methodLimits.appendsPerMinute : methodLimits.updatesPerMinute;
    return appendInterval({ sent, open: streamLoad.open, perMinute });
  },
  countAnswer: () => streamLoad.countAnswer(),
  recordRequest: (sinceFirstMs) => streamLoad.reportIfDue(sinceFirstMs),
  recordThrottling: () => streamLoad.recordThrottling(),
});

/** An answer that is complete sooner needs no Stop button. */
const OFFER_AFTER_MS = 5_000;
/** The number of the button's message among the parts of its answer, larger than any answer has. */
const STOP_PART = 1_000;

type StopButtonDeps = {
  readonly answer: Pick<AnswerState, 'replaced' | 'unconfirmedPosts'>;
  readonly messages: Messages;
  /** Shows Slack's own Stop in this thread. Resolves with whether there is one; rejects when that is unknown. */
  readonly showSlackStop: () => Promise<boolean>;
  readonly stop: StopBlocks;
  readonly time: Time;
  readonly log?: Log | undefined;
};

/**
 * A Stop button in a small message below a native stream that takes long, where Slack shows no Stop. It cannot be in the
 * stream: removing it there needs an edit of the whole message, which loses the task cards.
 */
class StopButton {
  readonly #deps: StopButtonDeps;
  /** When the first words were written (ms since 1970). */
  #since: number | undefined;
  #offering: Promise<void> | undefined;
  #isOver = false;
  #id: MessageId | undefined;

  constructor(deps: StopButtonDeps) {
    this.#deps = deps;
  }

  /**
   * Posts the button if the answer takes long by now. Called while text is written, not by a timer, so that it stops with it.
   * `isAppending`: words are appended to a native stream; a message that is edited has its own button.
   */
  offerIfSlow(isAppending: boolean): void {
    const now = this.#deps.time.now();
    this.#since ??= now;
    if (now - this.#since < OFFER_AFTER_MS || !isAppending) return;
    this.#offering ??= this.#offer().catch((error: unknown) => this.#recordFailure(error));
  }

  /** The message of the button, if it was posted. */
  async posted(): Promise<MessageId[]> {
    await this.#offering;
    return this.#id === undefined ? [] : [this.#id];
  }

  /** Hands the message over to be deleted with other surplus messages of the answer. */
  async handOver(): Promise<void> {
    this.#isOver = true;
    this.#deps.answer.replaced.push(...(await this.posted()));
    this.#id = undefined;
  }

  async #offer(): Promise<void> {
    const { messages, showSlackStop, stop } = this.#deps;
    // If it is unknown, Slack's own is likely shown.
    if ((await showSlackStop().catch(() => true)) || this.#isOver) return;
    const blocks = await stop();
    if (!this.#isOver) this.#id = await messages.post(STOP_PART, { blocks, text: '⏹' });
  }

  #recordFailure(error: unknown): void {
    const { answer, log } = this.#deps;
    const failure = classifyError(error);
    // It may have been posted; it is found later by its number.
    if (failure.kind === 'unknown') answer.unconfirmedPosts += 1;
    log?.('slack.stop-button-failed', { reason: getFailureReason(failure) });
  }
}
