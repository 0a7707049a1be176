import type { Thread } from '../../../domain/index.ts';
import { type SlackResponse, SlackRateLimited, type SlackCall, SlackApiError } from '../api/call.ts';
import type { Time } from '../../retry.ts';

/** How long an API counts as absent that a workspace has refused: Slack gives and takes features without telling. */
const RECHECK_AFTER_MS = 60 * 60_000;
/** The warning of `agents.sessions.setStatus` to an app that is not subscribed to the event: people see a sign without a Stop. */
const NO_STOP_WARNING = 'missing_agent_session_stopped_event_subscription';
/**
 * Refusals of an API as a whole, in this workspace or for this app. `not_authorized` is one for an app that is not declared as an
 * agent (kirodotdev/KiroCrew#9822), but is documented for a channel that the app is not in.
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

/** By which API people see that the app works, and whether they see Slack's own Stop. */
export type WorkShown =
  | { readonly by: 'session'; readonly stop: boolean }
  | { readonly by: 'words' | 'nothing'; readonly stop: false };

/**
 * The port for what Slack shows of an app's work in a thread. There is one place for it on the screen, and the last call has it:
 * either words, or a sign with Slack's own Stop (agentconnect-md/agentconnect#1483). All reject as SlackCall does.
 */
export interface AgentApi {
  /** Shows that the app works: by a session with its Stop; where there is no Stop, by these words. */
  working(place: AgentThread, words?: string): Promise<WorkShown>;
  /** Shows words in place of what is there. Does nothing where Slack takes none. */
  words(place: AgentThread, words: string): Promise<void>;
  /** Takes words away that may be there; not asked of Slack where a Stop shows the work. */
  clear(place: AgentThread): Promise<void>;
  /** The session waits for the next question; Slack ends it neither by a message nor soon. */
  idle(place: AgentThread): Promise<void>;
}

/** `stop`: a session with Slack's Stop; `session`: one without, since the app is not told of it. */
type Choice = 'stop' | 'session' | 'words' | 'nothing';

/**
 * The API by what the workspace answers: `agents.sessions.*`, and where there is none, `assistant.threads.*`, which Slack has announced
 * to end in February 2027 (docs.slack.dev/changelog/2026/08/20/agent-updates). One for each workspace: it remembers the choice.
 */
export function createAgentApi({ call, time }: { readonly call: SlackCall; readonly time: Time }): AgentApi {
  let known: { readonly choice: Choice; readonly until: number } | undefined;
  /** Where words stand because Slack took no session just then: each is taken out by `clear` or once there is a session. */
  const busyPlaces = new Set<string>();
  const choice = () => (known !== undefined && time.now() < known.until ? known.choice : undefined);
  const remember = (made: Choice): void => {
    known = { choice: made, until: time.now() + RECHECK_AFTER_MS };
  };
  const say = (place: AgentThread, status: string) =>
    ifAvailable(call('assistant.threads.setStatus', { ...idsOf(place), status }));
  const setStatus = (place: AgentThread, status: 'active' | 'processing') =>
    ifAvailable(call('agents.sessions.setStatus', { ...idsOf(place), status }));

  /** By words, if Slack takes them. What has refused before that, `refused`, is what counts of the place. */
  async function byWords(place: AgentThread, words: string, refused?: string): Promise<WorkShown> {
    const said = await say(place, words);
    if (typeof said === 'string' && refused === undefined) return bySession(place, words, said);
    const by = typeof said === 'string' ? 'nothing' : 'words';
    remember(by);
    return { by, stop: false };
  }

  async function bySession(
    place: AgentThread,
    words: string | undefined,
    refused?: string,
  ): Promise<WorkShown> {
    const answer = await setStatus(place, 'processing').catch((error: unknown) => {
      if (error instanceof SlackRateLimited) return error;
      throw error;
    });
    if (answer instanceof SlackRateLimited) {
      // Where there is no Stop yet, words hide none.
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
    // Of the place it says as much as of the app, and nothing else was asked that would tell them apart.
    if (answer !== 'not_authorized') remember(refused === undefined ? 'words' : 'nothing');
    return { by: 'nothing', stop: false };
  }

  return {
    async working(place, words) {
      const made = choice();
      if (made === 'nothing') return { by: 'nothing', stop: false };
      if (made !== 'words') return bySession(place, words);
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

/** The answer; or, as a text, the code by which Slack refuses the API as a whole. */
async function ifAvailable(called: Promise<SlackResponse>): Promise<SlackResponse | string> {
  try {
    return await called;
  } catch (error) {
    if (error instanceof SlackApiError && UNAVAILABLE.has(error.code)) return error.code;
    throw error;
  }
}
