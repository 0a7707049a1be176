import type { Thread, TurnRef } from '../../../domain/index.ts';
import { type SlackResponse, SlackRateLimitError, type SlackCall, SlackApiError } from '../api/call.ts';
import type { Time, Log } from '../../../runtime/index.ts';
import type { StatusKind } from '../../ports/index.ts';
import { isGone } from '../api/errors.ts';
import { retrySlack } from '../api/retry.ts';

/** How long an API is taken for unavailable after a refusal. Slack enables and disables features without notice. */
const RECHECK_AFTER_MS = 60 * 60_000;
/** The warning of `agents.sessions.setStatus` for an app without the event subscription: people see a status without a Stop. */
const NO_STOP_WARNING = 'missing_agent_session_stopped_event_subscription';
/**
 * Errors that refuse the whole API in this workspace or for this app. `not_authorized` is returned to an app that is not
 * declared as an agent (kirodotdev/KiroCrew#9822), but is documented for a channel that the app is not in.
 */
const UNAVAILABLE = new Set([
  'access_denied',
  'deprecated_endpoint',
  'feature_disabled',
  'feature_not_enabled',
  'method_deprecated',
  'missing_scope',
  'not_agent_app',
  'not_allowed_token_type',
  'not_authorized',
  'unknown_method',
]);

type AgentThread = Pick<Thread, 'channel' | 'root'>;

/** The API that shows that the app is working, and whether people see Slack's own Stop. */
type WorkShown =
  | { readonly by: 'session'; readonly hasStop: boolean }
  | { readonly by: 'words' | 'nothing'; readonly hasStop: false };

/**
 * Shows in a thread that the app is working. Slack shows one status at a time, that of the last request: either a text, or
 * a status with Slack's own Stop (agentconnect-md/agentconnect#1483). All methods reject as SlackCall does.
 */
export interface AgentApi {
  /** Shows that the app is working: by a session with its Stop, or by this text where there is no Stop. */
  showWork(place: AgentThread, words?: string): Promise<WorkShown>;
  /** Replaces the status with a text. Does nothing where Slack refuses texts. */
  showText(place: AgentThread, words: string): Promise<void>;
  /** Removes a text that may be shown. Sends no request where a Stop shows the status. */
  clearText(place: AgentThread): Promise<void>;
  /** Ends the status of the session: Slack itself ends it neither after a message nor soon. */
  endSession(place: AgentThread): Promise<void>;
}

/** `stop`: a session with Slack's Stop. `session`: one without, as the app is not subscribed to its event. */
type Choice = 'stop' | 'session' | 'words' | 'nothing';

/**
 * Uses `agents.sessions.*` where the workspace has it, otherwise `assistant.threads.*`, which ends in February 2027
 * (docs.slack.dev/changelog/2026/08/20/agent-updates). One for each workspace, as it remembers which one is available.
 */
export function createAgentApi({ call, time }: { readonly call: SlackCall; readonly time: Time }): AgentApi {
  let known: { readonly choice: Choice; readonly until: number } | undefined;
  /** Threads that show a text because of a rate limit of sessions. `clearText` or the next session removes them. */
  const busyPlaces = new Set<string>();
  const getChoice = () => (known !== undefined && time.now() < known.until ? known.choice : undefined);
  const remember = (chosen: Choice): void => {
    known = { choice: chosen, until: time.now() + RECHECK_AFTER_MS };
  };
  const setText = (place: AgentThread, status: string) =>
    ifAvailable(call('assistant.threads.setStatus', { ...toThreadIds(place), status }));
  const setStatus = (place: AgentThread, status: 'active' | 'processing') =>
    ifAvailable(call('agents.sessions.setStatus', { ...toThreadIds(place), status }));

  /** Shows a text. `reason` is the error code of sessions, if they were tried before. */
  async function showByText(place: AgentThread, words: string, reason?: string): Promise<WorkShown> {
    const response = await setText(place, words);
    if (typeof response === 'string' && reason === undefined) return showBySession(place, words, response);
    const by = typeof response === 'string' ? 'nothing' : 'words';
    remember(by);
    return { by, hasStop: false };
  }

  async function showBySession(place: AgentThread, words?: string, reason?: string): Promise<WorkShown> {
    const answer = await setStatus(place, 'processing').catch((error: unknown) => {
      if (error instanceof SlackRateLimitError) return error;
      throw error;
    });
    if (answer instanceof SlackRateLimitError) {
      // There is no Stop yet that a text would hide.
      if (words === undefined) throw answer;
      busyPlaces.add(threadKey(place));
      return { by: typeof (await setText(place, words)) === 'string' ? 'nothing' : 'words', hasStop: false };
    }
    busyPlaces.delete(threadKey(place));
    if (typeof answer !== 'string') {
      const hasStop = !JSON.stringify(answer).includes(NO_STOP_WARNING);
      remember(hasStop ? 'stop' : 'session');
      if (!hasStop && words !== undefined) await setText(place, words);
      return { by: 'session', hasStop };
    }
    if (words !== undefined && reason === undefined) return showByText(place, words, answer);
    // It may be about the channel or about the app, and nothing tells which.
    if (answer !== 'not_authorized') remember(reason === undefined ? 'words' : 'nothing');
    return { by: 'nothing', hasStop: false };
  }

  return {
    async showWork(place, words) {
      const current = getChoice();
      if (current === 'nothing') return { by: 'nothing', hasStop: false };
      if (current !== 'words') return showBySession(place, words);
      return words === undefined ? { by: 'nothing', hasStop: false } : showByText(place, words);
    },
    showText: async (place, words) => void (await setText(place, words)),
    async clearText(place) {
      if (getChoice() !== 'stop' || busyPlaces.has(threadKey(place))) await setText(place, '');
      busyPlaces.delete(threadKey(place));
    },
    async endSession(place) {
      if (getChoice() !== 'words') await setStatus(place, 'active');
    },
  };
}

const threadKey = ({ channel, root }: AgentThread): string => `${channel}#${root}`;
const toThreadIds = ({ channel, root }: AgentThread) => ({ channel_id: channel, thread_ts: root });

/** The response, or the error code as a string if Slack refuses the whole API. */
async function ifAvailable(response: Promise<SlackResponse>): Promise<SlackResponse | string> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof SlackApiError && UNAVAILABLE.has(error.code)) return error.code;
    throw error;
  }
}

/** A Stop that cannot be removed must not delay the work for longer. */
const END_TIMEOUT_MS = 10_000;
const CLEAR_TIMEOUT_MS = 5_000;

type AssistantSessionDeps = {
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
  #currentWork: Promise<WorkShown> | undefined;
  /** Whether Slack shows the session as `processing`, as far as is known. */
  #isProcessing = false;
  /** Counts requests that may set it to `processing`: the end of an earlier stream does not undo a later one. */
  #requests = 0;
  #inFlight = 0;
  #hasReply = false;
  #isLastMessage = false;
  /** Whether the workspace has sessions: Slack accepted one. */
  #hasSession = false;
  #isOver = false;

  constructor(deps: AssistantSessionDeps, turn: TurnRef) {
    this.#deps = deps;
    this.#turn = turn;
  }

  /** Notes that an answer is written, which ends the session. */
  expectReply(): this {
    this.#hasReply = true;
    return this;
  }

  /** Ends the session without a request: its thread was deleted. */
  discard(): void {
    this.#isOver = true;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Until the end, shows the status by a Stop or by this text. An empty text ends it, unless an answer will. Never rejects. */
  async show(words: string, kind?: StatusKind): Promise<void> {
    const { agent, log, tell } = this.#deps;
    try {
      if (words === '') return await this.#clear();
      const before = await this.#currentWork?.catch(() => undefined);
      if (this.#isOver) return;
      if (before?.by !== 'session') this.#currentWork = undefined;
      const { hasStop } = await this.#begin(words);
      if (this.#isOver) return;
      if (hasStop && kind === 'wait') await tell(words);
      if (!hasStop && before?.by === 'session') await agent.showText(this.#turn.thread, words);
    } catch (error) {
      // The answer itself logs that the thread was deleted, in one line.
      if (error instanceof SlackApiError && isGone(error.code)) return;
      log?.('slack.status-failed', { reason: error instanceof Error ? error.message : 'unknown' });
    }
  }

  /** Shows the Stop and resolves with whether there is one. Rejects when the request fails, and after the end. */
  async showStopButton(): Promise<boolean> {
    if (this.#isOver) throw new Error('the answer has ended');
    return (await this.#begin()).hasStop;
  }

  /** Notes that the answer needs no further message, unless Slack refuses more text in its last one. */
  expectLastMessage(): void {
    this.#isLastMessage = true;
  }

  /** Wraps the requests of the answer: starting or stopping a stream changes the session too. Rejects as `call` does. */
  wrapCalls(call: SlackCall): SlackCall {
    return (method, args) => {
      if (method === 'chat.startStream') return this.#startStream(() => call(method, args));
      if (method !== 'chat.stopStream') return call(method, args);
      // The next message of the answer follows, and the person can stop it until then.
      if (this.#hasSession && !this.#isLastMessage)
        return call(method, { ...args, session_status: 'processing' });
      return this.#stopStream(() => call(method, args));
    };
  }

  async #stopStream<T>(stopStream: () => Promise<T>): Promise<T> {
    const requests = this.#inFlight === 0 ? this.#requests : undefined;
    const response = await stopStream();
    if (requests === this.#requests) {
      this.#isProcessing = false;
      this.#currentWork = undefined;
    }
    return response;
  }

  /**
   * Ends the status. `mayBeShown`: although this process did not start it: after Slack's Stop ended a stream, Slack waits for
   * the new status, and an earlier worker may have started it. Never rejects.
   */
  async end(mayBeShown: boolean): Promise<void> {
    this.#isOver = true;
    await this.#currentWork?.catch(() => undefined);
    this.#currentWork = undefined;
    if (!this.#isProcessing && !mayBeShown) return;
    this.#isProcessing = false;
    const { time, agent } = this.#deps;
    const deadline = time.now() + END_TIMEOUT_MS;
    await retrySlack(() => agent.endSession(this.#turn.thread), { time, deadline }).catch(() => undefined);
  }

  async #startStream<T>(startStream: () => Promise<T>): Promise<T> {
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
    this.#currentWork ??= this.#request(words);
    return this.#currentWork;
  }

  async #request(words: string | undefined): Promise<WorkShown> {
    this.#requests += 1;
    this.#inFlight += 1;
    try {
      const outcome = await this.#deps.agent.showWork(this.#turn.thread, words);
      this.#hasSession = outcome.by === 'session';
      this.#isProcessing ||= this.#hasSession;
      return outcome;
    } catch (error) {
      this.#currentWork = undefined;
      // It is unknown whether the request took effect.
      this.#isProcessing ||= !(error instanceof SlackApiError);
      throw error;
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Retried: when an answer was cancelled, no message follows that would remove the text. */
  async #clear(): Promise<void> {
    const { agent, time } = this.#deps;
    const deadline = time.now() + CLEAR_TIMEOUT_MS;
    try {
      await this.#currentWork?.catch(() => undefined);
      await retrySlack(() => agent.clearText(this.#turn.thread), { time, deadline });
    } finally {
      if (!this.#hasReply) await this.end(false);
    }
  }
}
