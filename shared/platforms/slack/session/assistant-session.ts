import type { TurnRef } from '../../../domain/index.ts';
import type { StatusKind } from '../../ports/platform.ts';
import type { AgentApi, WorkShown } from './agent-api.ts';
import { type SlackCall, SlackApiError } from '../api/call.ts';
import { isGone } from '../api/errors.ts';
import type { Log, Time } from '../deps.ts';
import { retrySlack } from '../api/retry.ts';

/** A Stop that stays is no reason to hold the work up for longer. */
const END_TIMEOUT_MS = 10_000;
const CLEAR_TIMEOUT_MS = 5_000;

export type AssistantSessionDeps = {
  readonly agent: AgentApi;
  readonly time: Time;
  readonly log?: Log | undefined;
  /** Tells who asked what they wait for, where Slack's Stop stands in the place of the words. Never rejects. */
  readonly tell: (words: string) => Promise<void>;
};

/**
 * What Slack shows of the work on one turn. A session that is `processing` shows Slack's Stop; a stream makes it so too, and
 * `chat.stopStream` makes it `active` again unless told otherwise (docs.slack.dev/reference/methods/chat.stopStream). Words would take
 * the Stop's place, so they are shown only where there is none.
 */
export class AssistantSession {
  readonly #deps: AssistantSessionDeps;
  readonly #turn: TurnRef;
  #begun: Promise<WorkShown> | undefined;
  /** Slack shows the session as `processing`, as far as is known. */
  #isProcessing = false;
  /** Counts what may make it so: a stream that ends meanwhile does not end what was asked for later. */
  #requests = 0;
  #waiting = 0;
  #hasReply = false;
  #isFinishing = false;
  /** Slack has set it: the workspace has sessions. */
  #hasSession = false;
  #over = false;

  constructor(deps: AssistantSessionDeps, turn: TurnRef) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** An answer is being written, which ends this. */
  replying(): this {
    this.#hasReply = true;
    return this;
  }

  /** Its thread is gone: nothing is left to be ended. */
  leave(): void {
    this.#over = true;
  }

  /** Nothing more is to be shown by it. */
  get over(): boolean {
    return this.#over;
  }

  /** Shows that the work goes on, by a Stop or by these words; empty words end that, unless an answer will. Never rejects. */
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
      // Of a place that is gone the answer itself will tell, in one line.
      if (error instanceof SlackApiError && isGone(error.code)) return;
      log?.('slack.status_failed', { reason: error instanceof Error ? error.message : 'unknown' });
    }
  }

  /** Shows the Stop; resolves with whether there is one. Rejects where Slack could not be asked, and once this has ended. */
  async begin(): Promise<boolean> {
    if (this.#over) throw new Error('the answer has ended');
    return (await this.#begin()).stop;
  }

  /** No message follows those that the answer has begun, unless Slack takes no more into them. */
  finishing(): void {
    this.#isFinishing = true;
  }

  /** The calls of the answer: one that starts or stops a stream changes the session too. Rejects as `call` does. */
  calls(call: SlackCall): SlackCall {
    return (method, args) => {
      if (method === 'chat.startStream') return this.#starting(() => call(method, args));
      if (method !== 'chat.stopStream') return call(method, args);
      // The next message of the answer is yet to begin, and it can be stopped meanwhile.
      if (this.#hasSession && !this.#isFinishing)
        return call(method, { ...args, session_status: 'processing' });
      return this.#stopping(() => call(method, args));
    };
  }

  async #stopping<T>(called: () => Promise<T>): Promise<T> {
    const { requests, alone } = { requests: this.#requests, alone: this.#waiting === 0 };
    const answer = await called();
    if (alone && requests === this.#requests) {
      this.#isProcessing = false;
      this.#begun = undefined;
    }
    return answer;
  }

  /**
   * The next question can come. `surely`: also where this is not known to have begun it. Slack has ended a stream by its
   * Stop, and waits to be told; or an earlier worker may have begun it. Never rejects.
   */
  async end(surely: boolean): Promise<void> {
    this.#over = true;
    await this.#begun?.catch(() => undefined);
    this.#begun = undefined;
    if (!this.#isProcessing && !surely) return;
    this.#isProcessing = false;
    const { time, agent } = this.#deps;
    const patience = { time, deadline: time.now() + END_TIMEOUT_MS };
    await retrySlack(() => agent.idle(this.#turn.thread), patience).catch(() => undefined);
  }

  async #starting<T>(called: () => Promise<T>): Promise<T> {
    const was = this.#isProcessing;
    this.#requests += 1;
    this.#isProcessing = true;
    try {
      return await called();
    } catch (error) {
      if (error instanceof SlackApiError) this.#isProcessing = was;
      throw error;
    }
  }

  #begin(words?: string): Promise<WorkShown> {
    this.#begun ??= this.#ask(words);
    return this.#begun;
  }

  async #ask(words: string | undefined): Promise<WorkShown> {
    this.#requests += 1;
    this.#waiting += 1;
    try {
      const shown = await this.#deps.agent.working(this.#turn.thread, words);
      this.#hasSession = shown.by === 'session';
      this.#isProcessing ||= this.#hasSession;
      return shown;
    } catch (error) {
      this.#begun = undefined;
      // Nobody knows whether it took effect.
      this.#isProcessing ||= !(error instanceof SlackApiError);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Tried again: after a withdrawal no message appears that takes the words away. */
  async #clear(): Promise<void> {
    const { agent, time } = this.#deps;
    const { thread } = this.#turn;
    const patience = { time, deadline: time.now() + CLEAR_TIMEOUT_MS };
    try {
      await this.#begun?.catch(() => undefined);
      await retrySlack(() => agent.clear(thread), patience);
    } finally {
      if (!this.#hasReply) await this.end(false);
    }
  }
}

/** What another process goes on with is forgotten here when so many came after it. */
const MAX_SESSIONS = 1_000;

/** The session of each turn that is worked on: its status and its answer share one. */
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
