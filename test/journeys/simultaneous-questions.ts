import type { Identity, Person } from '../simulators/slack/identity.ts';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import type { SlackSimulator } from '../simulators/slack/index.ts';
import { waitUntil, type JourneyHarness } from './harness.ts';

const idOf = (person: number): string => `U0CROWD${String(person).padStart(3, '0')}`;

/** This many additional people for the simulated Slack. */
export function startWithUsers(people: number): Pick<Identity, 'users'> {
  const more = Array.from({ length: people }, (_, n): Person => ({
    id: idOf(n),
    name: `person${n}`,
    realName: `Person ${n}`,
  }));
  return { users: [...DEFAULT_IDENTITY.users, ...more] };
}

/** The reports of one person below one question. */
export type Waited = {
  /** The status texts in order; an empty text clears it. */
  readonly statuses: readonly string[];
  /** The ephemeral messages in order: where Slack has sessions, whose status has no text. */
  readonly notes: readonly string[];
  readonly answer: string;
};

/** All ask at once, in this order, the nth for the sum of n + 1 and 1000. Resolves once each is answered. */
export async function askSimultaneously(
  journey: JourneyHarness,
  asks: readonly { readonly person: number }[],
): Promise<Waited[]> {
  const { slack } = journey;
  const from = slack.calls.length;
  const threads = asks.map(({ person }, n) =>
    slack.core.say(idOf(person), `<@${slack.botUserId}> What is ${n + 1} + 1000?`, {}),
  );
  await waitUntil(() => threads.every((thread) => answerIn(slack, thread) !== undefined));
  const calls = slack.calls.slice(from).filter(({ outcome }) => outcome === 'ok');
  return threads.map((thread, n) => ({
    statuses: calls
      .filter(({ method, args }) => method === 'assistant.threads.setStatus' && args['thread_ts'] === thread)
      .map(({ args }) => String(args['status'])),
    notes: calls
      .filter(
        ({ method, args }) => method === 'chat.postEphemeral' && args['user'] === idOf(asks[n]?.person ?? 0),
      )
      .map(({ args }) => String(args['markdown_text'])),
    answer: answerIn(slack, thread) ?? '',
  }));
}

/** The answer in a thread of that channel, once it is complete. */
function answerIn(slack: SlackSimulator, thread: string): string | undefined {
  const messages = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
  const answer = messages.find((one) => one.thread === thread && one.user === slack.botUserId);
  return answer && answer.stream?.open !== true && (answer.text ?? '') !== '' ? answer.text : undefined;
}
