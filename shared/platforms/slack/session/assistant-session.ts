import type { TurnRef } from '../../../domain/index.ts';
import type { StatusKind } from '../../ports/index.ts';
import type { AgentApi, WorkShown } from './agent-api.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { isGone } from '../api/errors.ts';
import type { Log, Time } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';

/** A Stop that cannot be removed must not delay the work for longer. */
const END_TIMEOUT_MS = 10_000;
const CLEAR_TIMEOUT_MS = 5_000;

export type AssistantSessionDeps = {
  readonly agent: AgentApi;
  readonly time: Time;
  readonly log?: Log | undefined;
  /** Tells the asker by a message what they wait for, where Slack's Stop is shown instead of the text. Never rejects. */
  readonly tell: (words: string) => Promise<void>;
};

/**
 * The status that Slack shows while a turn is answered. A session that is `processing` shows Slack's Stop. A stream sets it to
 * `processing` too, and `chat.stopStream` to `active` unless `session_status` is given (docs.slack.dev/reference/methods/chat.stopStream).
 * A text would replace the Stop, so it is shown only where there is none.
 */
export class AssistantSession {
  readonly #deps: AssistantSessionDeps;
  readonly #turn: TurnRef;
  #begun: Promise<WorkShown> | undefined;
  /** Whether Slack shows the session as `processing`, as far as is known. */
  #isProcessing = false;
  /** Counts requests that may set it to `processing`: the end of an earlier stream does not undo a later one. */
  #requests = 0;
  #waiting = 0;
  #hasReply = false;
  #isFinishing = false;
  /** Whether the workspace has sessions: Slack accepted one. */
  #hasSession = false;
  #over = false;

  constructor(deps: AssistantSessionDeps, turn: TurnRef) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** Notes that an answer is written, which ends the session. */
  replying(): this {
    this.#hasReply = true;
    return this;
  }

  /** The thread was deleted, so there is nothing to end. */
  leave(): void {
    this.#over = true;
  }

  /** Whether it ended. */
  get over(): boolean {
    return this.#over;
  }

  /** Shows the status by a Stop or by this text. An empty text ends it, unless an answer will. Never rejects. */
  async show(words: string, kind?: StatusKind): Promise<void> {
    const { agent, log, tell } = this.#deps;
    const { thread } = this.#turn;
    try {
      if (words === '') return await this.#clear();
      if (this.#over) return;
      const before = await this.#begun?.catch(() => undefined);
      if (before?.by !== 'session') this.#begun = undefined;
      const { stop } = await this.#begin(words);
      if (stop && kind === 'wait') await tell(words);
      if (!stop && before?.by === 'session') await agent.words(thread, words);
    } catch (error) {
      // The answer itself logs that the thread was deleted, in one line.
      if (error instanceof SlackApiError && isGone(error.code)) return;
      log?.('slack.status-failed', { reason: error instanceof Error ? error.message : 'unknown' });
    }
  }

  /** Shows the Stop and resolves with whether there is one. Rejects when the request fails, and after the end. */
  async begin(): Promise<boolean> {
    if (this.#over) throw new Error('the answer has ended');
    return (await this.#begin()).stop;
  }

  /** Notes that the answer needs no further message, unless Slack refuses more text in its last one. */
  finishing(): void {
    this.#isFinishing = true;
  }

  /** Wraps the requests of the answer: starting or stopping a stream changes the session too. Rejects as `call` does. */
  calls(call: SlackCall): SlackCall {
    return (method, args) => {
      if (method === 'chat.startStream') return this.#starting(() => call(method, args));
      if (method !== 'chat.stopStream') return call(method, args);
      // The next message of the answer follows, and the person can stop it until then.
      if (this.#hasSession && !this.#isFinishing)
        return call(method, { ...args, session_status: 'processing' });
      return this.#stopping(() => call(method, args));
    };
  }

  async #stopping<T>(stopStream: () => Promise<T>): Promise<T> {
    const { requests, alone } = { requests: this.#requests, alone: this.#waiting === 0 };
    const response = await stopStream();
    if (alone && requests === this.#requests) {
      this.#isProcessing = false;
      this.#begun = undefined;
    }
    return response;
  }

  /**
   * Ends the status. `isCertain`: also if this process did not start it: after Slack's Stop ended a stream, Slack waits for
   * the new status, and an earlier worker may have started it. Never rejects.
   */
  async end(isCertain: boolean): Promise<void> {
    this.#over = true;
    await this.#begun?.catch(() => undefined);
    this.#begun = undefined;
    if (!this.#isProcessing && !isCertain) return;
    this.#isProcessing = false;
    const { time, agent } = this.#deps;
    const retryOptions = { time, deadline: time.now() + END_TIMEOUT_MS };
    await retrySlack(() => agent.idle(this.#turn.thread), retryOptions).catch(() => undefined);
  }

  async #starting<T>(startStream: () => Promise<T>): Promise<T> {
    const was = this.#isProcessing;
    this.#requests += 1;
    this.#isProcessing = true;
    try {
      return await startStream();
    } catch (error) {
      if (error instanceof SlackApiError) this.#isProcessing = was;
      throw error;
    }
  }

  #begin(words?: string): Promise<WorkShown> {
    this.#begun ??= this.#request(words);
    return this.#begun;
  }

  async #request(words: string | undefined): Promise<WorkShown> {
    this.#requests += 1;
    this.#waiting += 1;
    try {
      const shown = await this.#deps.agent.working(this.#turn.thread, words);
      this.#hasSession = shown.by === 'session';
      this.#isProcessing ||= this.#hasSession;
      return shown;
    } catch (error) {
      this.#begun = undefined;
      // It is unknown whether the request took effect.
      this.#isProcessing ||= !(error instanceof SlackApiError);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Retried: when an answer was cancelled, no message follows that would remove the text. */
  async #clear(): Promise<void> {
    const { agent, time } = this.#deps;
    const { thread } = this.#turn;
    const retryOptions = { time, deadline: time.now() + CLEAR_TIMEOUT_MS };
    try {
      await this.#begun?.catch(() => undefined);
      await retrySlack(() => agent.clear(thread), retryOptions);
    } finally {
      if (!this.#hasReply) await this.end(false);
    }
  }
}

/** Limits the sessions of turns that another process continued. */
const MAX_SESSIONS = 1_000;

/** Returns the session of a turn, which its status and its answer share. */
export function sessionFinder(
  make: (turn: TurnRef) => AssistantSession,
): (turn: TurnRef) => AssistantSession {
  const sessions = new Map<string, AssistantSession>();
  return (turn) => {
    for (const [key, { over }] of sessions) if (over) sessions.delete(key);
    const key = `${turn.thread.channel}#${turn.thread.root}#${turn.message}`;
    const session = sessions.get(key) ?? make(turn);
    const [oldest] = sessions.keys();
    if (oldest !== undefined && sessions.size >= MAX_SESSIONS) sessions.delete(oldest);
    sessions.set(key, session);
    return session;
  };
}
