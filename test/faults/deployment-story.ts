import { ADA } from '../isolation/discord-tenants.ts';
import { tokenOf, tokensIn } from '../soak/models.ts';
import type { Json, Message } from '../simulators/slack/state.ts';
import { Deployment } from './deployment.ts';
import type { Features } from './deployment-features.ts';
import type { SeededBug } from './seeded-bugs.ts';
import { createSeededRandom } from './seeded-random.ts';
import type { Story } from './story.ts';

export const DISCORD_CHANNEL = '301000000000000001';
/** The number of the person who asks in Slack. */
export const PERSON = 0;
export const MINUTE = 60_000;
/** After this time all retries of the platforms, the queue and the sweeper have run. */
const MAX_MINUTES = 45;

/** What happens in a story, and what must be true at its end. */
export type DeploymentScript = {
  readonly act: (harness: Deployment) => Promise<void>;
  /** Questions that are answered once each, wherever the bot writes. */
  readonly answered?: readonly string[];
  readonly wrong?: (harness: Deployment) => readonly string[];
  /** Whether the asker knows in another way than by a message that their question was given up. */
  readonly isToldOtherwise?: (harness: Deployment) => boolean;
  readonly features?: Features;
};

/** Whether a message of the bot is a card with this in its key. */
export const isCard = ({ metadata }: Pick<Message, 'metadata'>, key = ''): boolean =>
  new RegExp(`"card":"[^"]*${key}`, 'u').test(JSON.stringify(metadata ?? ''));

/** What the bot has written for everybody, in any place, without cards. */
function saidBy({ discord, tenants }: Deployment): string[] {
  const inDiscord = [...discord.state.messages.values()]
    .flatMap((messages) => [...messages.values()])
    .filter(({ author }) => author === discord.identity.applicationId)
    .map(({ content }) => content)
    .filter((content) => content !== '');
  const inSlack = tenants.flatMap(({ sim }) =>
    [...sim.state.messages.values()]
      .flatMap((messages) => [...messages.values()])
      .filter(({ user, ephemeralTo }) => user === sim.identity.botUserId && ephemeralTo === undefined)
      .filter((message) => !isCard(message))
      .map(({ text }) => text),
  );
  return [...inDiscord, ...inSlack];
}

function wrongIn(harness: Deployment, { answered, wrong, isToldOtherwise }: DeploymentScript): string[] {
  const messages = saidBy(harness);
  const tokens = messages.flatMap((text) => tokensIn(/Answer to [^:]*:/u.exec(text)?.[0] ?? ''));
  const key = tokens.toSorted().join();
  const should = answered?.toSorted().join() ?? key;
  // Each question has one message: its answer, or an explanation that it cannot be answered.
  const isEachOnce = messages.length === answered?.length && new Set(tokens).size === tokens.length;
  const isToldOnly = messages.length === 0 && isToldOtherwise?.(harness) === true;
  const isExcused = harness.hasDeadLetters && (isEachOnce || isToldOnly);
  return [
    ...(key === should || isExcused ? [] : [`answered are ${key || 'none'} instead of ${should}`]),
    ...(harness.isIdle ? [] : ['there is still something to do']),
    ...harness.checker.violations,
    ...(wrong?.(harness) ?? []),
  ];
}

/** A story of the whole deployment. */
export const deploymentStory = (name: string, expectation: DeploymentScript, mutant?: SeededBug): Story => ({
  name,
  async play(plan, random) {
    const order = random && createSeededRandom(Math.floor(random() * 2 ** 32));
    const harness = new Deployment(plan, { mutant, features: expectation.features, order });
    harness.start();
    await expectation.act(harness);
    for (let minute = 0; minute < MAX_MINUTES; minute += 1) {
      await harness.pass(MINUTE);
      if (harness.isIdle && !harness.needsSweep && minute > 12) break;
      await harness.sweep();
    }
    const { points, trace } = harness.processes;
    return { points, wrong: wrongIn(harness, expectation), trace: () => trace, gaveUp: harness.gaveUp };
  },
});

/** Whether the plan had no fault. */
export const isUndisturbed = ({ processes }: Deployment): boolean =>
  processes.trace.every((line) => !line.includes(' !! '));

/**
 * The number of posts of dead processes that Slack performed much later: it has no ids for requests, so nobody can prevent one more message for each.
 * Answers have a reconcile pass for that; cards have none.
 */
export const countLatePosts = ({ processes }: Deployment): number =>
  processes.trace.filter((line) => line.endsWith(' chat.postMessage !! die-late')).length;

/** Whether a message was received late. */
export const hasLatePost = (harness: Deployment): boolean => countLatePosts(harness) > 0;

/** The question that begins a thread. */
export const question = (thread: number): string => `@parley what about ${tokenOf(thread, 0, 0)}?`;

/** A person writes in Discord, and the gateway sends the event. */
export async function sayInDiscord(harness: Deployment, text: string): Promise<void> {
  const dispatches: { t: string; d: unknown }[] = [];
  const stop = harness.discord.onDispatch((one) => dispatches.push(one));
  harness.discord.say(ADA, text, { channel: DISCORD_CHANNEL });
  stop();
  await harness.gatewayTells(dispatches);
}

/** The Slack events of what is done in a workspace. */
export function toldBy(harness: Deployment, nth: number, act: () => void): Promise<void> {
  const { sim } = tenantOf(harness, nth);
  const envelopes: Json[] = [];
  const stop = sim.onEvent((one) => envelopes.push(one));
  act();
  stop();
  return harness.slackTells(envelopes);
}

/** The simulated workspace of this number. */
export function tenantOf({ tenants }: Deployment, nth: number) {
  const tenant = tenants[nth];
  if (!tenant) throw new Error('no such workspace');
  return tenant;
}

/** A person asks in a workspace. */
export const askInSlack = (harness: Deployment, nth: number, thread: number): Promise<void> => {
  const { sim } = tenantOf(harness, nth);
  const text = question(thread).replace('parley', sim.identity.botName);
  return toldBy(harness, nth, () => void sim.say(sim.identity.users[PERSON]?.id ?? '', text));
};
