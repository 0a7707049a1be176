import type { Person } from '../simulators/slack/identity.ts';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import type { SlackSimulator } from '../simulators/slack/index.ts';
import { happens, type Journey } from './system.ts';

/** So many people for the simulated Slack, beside those that it has. */
export function crowdOf(people: number): { readonly users: readonly Person[] } {
  const more = Array.from({ length: people }, (_, n): Person => ({
    id: `U0CROWD${String(n).padStart(3, '0')}`,
    name: `person${n}`,
    realName: `Person ${n}`,
  }));
  return { users: [...DEFAULT_IDENTITY.users, ...more] };
}

/** What one person lived through with one question. Moments are in ms after the question was asked. */
export type Waited = {
  readonly person: number;
  readonly question: number;
  /** What the status under the question said, and when; clearing it is an empty word. */
  readonly statuses: readonly { readonly atMs: number; readonly words: string }[];
  /** When the first words of the answer were visible. */
  readonly answeredMs: number;
};

/** The moment of asking each question: `person` asks `question`, the how manieth of theirs. */
export type Ask = { readonly person: number; readonly question: number };

/** Asks all at once, in this order, and resolves with how each was answered. */
export async function askAtOnce(journey: Journey, asks: readonly Ask[]): Promise<Waited[]> {
  const { slack } = journey;
  const from = slack.calls.length;
  const asked: (Ask & { readonly thread: string; readonly at: number })[] = [];
  for (const ask of asks) {
    const user = crowdOf(ask.person + 1).users.at(-1)?.id ?? '';
    const at = Date.now();
    asked.push({
      ...ask,
      at,
      thread: slack.core.say(user, `<@${slack.botUserId}> What is ${asked.length} + 1000?`, {}),
    });
  }
  const first = new Map<string, number>();
  const look = (): void => {
    for (const message of slack.core.state.messages.get(slack.channel)?.values() ?? []) {
      const { thread = '', user, text } = message;
      if (user === slack.botUserId && (text ?? '') !== '' && !first.has(thread))
        first.set(thread, Date.now());
    }
  };
  const stop = slack.core.onChange(look);
  await happens(() => asked.every(({ thread }) => first.has(thread)));
  stop();
  return asked.map(({ thread, at, person, question }) => ({
    person,
    question,
    statuses: statusesOf(slack, thread, from, at),
    answeredMs: (first.get(thread) ?? Infinity) - at,
  }));
}

function statusesOf(slack: SlackSimulator, thread: string, from: number, at: number) {
  return slack.calls
    .slice(from)
    .filter(
      ({ method, args, outcome }) =>
        method === 'assistant.threads.setStatus' && args['thread_ts'] === thread && outcome === 'ok',
    )
    .map((call) => ({ atMs: call.at - at, words: String(call.args['status']) }));
}

/** Jain's index of fairness: 1 is the same for all, 1/n is everything for one. */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((total, each) => total + each, 0);
  const squares = values.reduce((total, each) => total + each * each, 0);
  return squares === 0 ? 1 : sum ** 2 / (values.length * squares);
}
