import type { Thread } from '../../../domain/index.ts';
import { type SlackResponse, SlackRateLimitError, type SlackCall, SlackApiError } from '../api/call.ts';
import type { Time } from '../../index.ts';

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

export type AgentThread = Pick<Thread, 'channel' | 'root'>;

/** The API that shows that the app is working, and whether people see Slack's own Stop. */
export type WorkShown =
  | { readonly by: 'session'; readonly stop: boolean }
  | { readonly by: 'words' | 'nothing'; readonly stop: false };

/**
 * Shows in a thread that the app is working. Slack shows one status at a time, that of the last request: either a text, or
 * a status with Slack's own Stop (agentconnect-md/agentconnect#1483). All methods reject as SlackCall does.
 */
export interface AgentApi {
  /** Shows that the app is working: by a session with its Stop, or by this text where there is no Stop. */
  working(place: AgentThread, words?: string): Promise<WorkShown>;
  /** Replaces the status with a text. Does nothing where Slack refuses texts. */
  words(place: AgentThread, words: string): Promise<void>;
  /** Removes a text that may be shown. Sends no request where a Stop shows the status. */
  clear(place: AgentThread): Promise<void>;
  /** Ends the status of the session: Slack itself ends it neither after a message nor soon. */
  idle(place: AgentThread): Promise<void>;
}

/** `stop`: a session with Slack's Stop. `session`: one without, as the app is not subscribed to its event. */
type Choice = 'stop' | 'session' | 'words' | 'nothing';

/**
 * Uses `agents.sessions.*` where the workspace has it, otherwise `assistant.threads.*`, which ends in February 2027
 * (docs.slack.dev/changelog/2026/08/20/agent-updates). One for each workspace, as it remembers which one is available.
 */
export function createAgentApi({ call, time }: { readonly call: SlackCall; readonly time: Time }): AgentApi {
  let known: { readonly choice: Choice; readonly until: number } | undefined;
  /** Threads that show a text because of a rate limit of sessions. `clear` or the next session removes them. */
  const busyPlaces = new Set<string>();
  const choice = () => (known !== undefined && time.now() < known.until ? known.choice : undefined);
  const remember = (chosen: Choice): void => {
    known = { choice: chosen, until: time.now() + RECHECK_AFTER_MS };
  };
  const say = (place: AgentThread, status: string) =>
    ifAvailable(call('assistant.threads.setStatus', { ...idsOf(place), status }));
  const setStatus = (place: AgentThread, status: 'active' | 'processing') =>
    ifAvailable(call('agents.sessions.setStatus', { ...idsOf(place), status }));

  /** Shows a text. `refused` is the error code of sessions, if they were tried before. */
  async function byWords(place: AgentThread, words: string, refused?: string): Promise<WorkShown> {
    const response = await say(place, words);
    if (typeof response === 'string' && refused === undefined) return bySession(place, words, response);
    const by = typeof response === 'string' ? 'nothing' : 'words';
    remember(by);
    return { by, stop: false };
  }

  async function bySession(
    place: AgentThread,
    words: string | undefined,
    refused?: string,
  ): Promise<WorkShown> {
    const answer = await setStatus(place, 'processing').catch((error: unknown) => {
      if (error instanceof SlackRateLimitError) return error;
      throw error;
    });
    if (answer instanceof SlackRateLimitError) {
      // There is no Stop yet that a text would hide.
      if (words === undefined) throw answer;
      busyPlaces.add(keyOf(place));
      return { by: typeof (await say(place, words)) === 'string' ? 'nothing' : 'words', stop: false };
    }
    busyPlaces.delete(keyOf(place));
    if (typeof answer !== 'string') {
      const stop = !JSON.stringify(answer).includes(NO_STOP_WARNING);
      remember(stop ? 'stop' : 'session');
      if (!stop && words !== undefined) await say(place, words);
      return { by: 'session', stop };
    }
    if (words !== undefined && refused === undefined) return byWords(place, words, answer);
    // It may be about the channel or about the app, and nothing tells which.
    if (answer !== 'not_authorized') remember(refused === undefined ? 'words' : 'nothing');
    return { by: 'nothing', stop: false };
  }

  return {
    async working(place, words) {
      const current = choice();
      if (current === 'nothing') return { by: 'nothing', stop: false };
      if (current !== 'words') return bySession(place, words);
      return words === undefined ? { by: 'nothing', stop: false } : byWords(place, words);
    },
    words: async (place, words) => void (await say(place, words)),
    async clear(place) {
      if (choice() !== 'stop' || busyPlaces.has(keyOf(place))) await say(place, '');
      busyPlaces.delete(keyOf(place));
    },
    async idle(place) {
      if (choice() !== 'words') await setStatus(place, 'active');
    },
  };
}

const keyOf = ({ channel, root }: AgentThread): string => `${channel}#${root}`;
const idsOf = ({ channel, root }: AgentThread) => ({ channel_id: channel, thread_ts: root });

/** The response, or the error code as a string if Slack refuses the whole API. */
async function ifAvailable(response: Promise<SlackResponse>): Promise<SlackResponse | string> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof SlackApiError && UNAVAILABLE.has(error.code)) return error.code;
    throw error;
  }
}
