import { userId, workspaceId } from '../../shared/domain/index.ts';
import { slash } from '../simulators/discord/interaction-payloads.ts';
import { ADA } from '../isolation/discord-tenants.ts';
import { DEPLOYMENT_KEY } from '../isolation/secrets.ts';
import { tokenOf, tokensIn } from '../soak/models.ts';
import type { Json } from '../simulators/slack/state.ts';
import { Deployment } from './deployment.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

const DISCORD_CHANNEL = '301000000000000001';
const PERSON = 0;
const MINUTE = 60_000;
/** After this time all retries of the platforms, the queue and the sweeper have run. */
const MAX_MINUTES = 45;

type Told = {
  readonly act: (harness: Deployment) => Promise<void>;
  /** Questions that are answered once each, wherever the bot writes. */
  readonly answered?: readonly string[];
  readonly wrong?: (harness: Deployment) => readonly string[];
};

/** What the bot has written, in any place. */
function saidBy({ discord, tenants }: Deployment): string[] {
  const inDiscord = [...discord.state.messages.values()]
    .flatMap((messages) => [...messages.values()])
    .filter(({ author }) => author === discord.identity.applicationId)
    .map(({ content }) => content);
  const inSlack = tenants.flatMap(({ sim }) =>
    [...sim.state.messages.values()]
      .flatMap((messages) => [...messages.values()])
      .filter(({ user }) => user === sim.identity.botUserId)
      .map(({ text }) => text),
  );
  return [...inDiscord, ...inSlack];
}

function wrongIn(harness: Deployment, { answered, wrong }: Told): string[] {
  const messages = saidBy(harness);
  const tokens = messages.flatMap((text) => tokensIn(/Answer to [^:]*:/u.exec(text)?.[0] ?? ''));
  const key = tokens.toSorted().join();
  const should = answered?.toSorted().join() ?? key;
  // Each question has one message: its answer, or an explanation that it cannot be answered.
  const isEachOnce = messages.length === answered?.length && new Set(tokens).size === tokens.length;
  const isExcused = harness.hasDeadLetters && isEachOnce;
  return [
    ...(key === should || isExcused ? [] : [`answered are ${key || 'none'} instead of ${should}`]),
    ...(harness.isIdle ? [] : ['there is still something to do']),
    ...harness.checker.violations,
    ...(wrong?.(harness) ?? []),
  ];
}

const story = (name: string, expectation: Told, mutant?: SeededBug): Story => ({
  name,
  async play(plan) {
    const harness = new Deployment(plan, mutant);
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

const question = (thread: number): string => `@parley what about ${tokenOf(thread, 0, 0)}?`;

/** A person writes in Discord, and the gateway sends the event. */
async function sayInDiscord(harness: Deployment, text: string): Promise<void> {
  const dispatches: { t: string; d: unknown }[] = [];
  const stop = harness.discord.onDispatch((one) => dispatches.push(one));
  harness.discord.say(ADA, text, { channel: DISCORD_CHANNEL });
  stop();
  await harness.gatewayTells(dispatches);
}

/** The Slack events of what is done in a workspace. */
function toldBy(harness: Deployment, nth: number, act: () => void): Promise<void> {
  const { sim } = tenantOf(harness, nth);
  const envelopes: Json[] = [];
  const stop = sim.onEvent((one) => envelopes.push(one));
  act();
  stop();
  return harness.slackTells(envelopes);
}

function tenantOf({ tenants }: Deployment, nth: number) {
  const tenant = tenants[nth];
  if (!tenant) throw new Error('no such workspace');
  return tenant;
}

const askInSlack = (harness: Deployment, nth: number, thread: number): Promise<void> => {
  const { sim } = tenantOf(harness, nth);
  const text = question(thread).replace('parley', sim.identity.botName);
  return toldBy(harness, nth, () => void sim.say(sim.identity.users[PERSON]?.id ?? '', text));
};

/** What the tables still contain of a workspace after it removed the app. */
const keptOf = (harness: Deployment, nth: number): readonly string[] => {
  const { tenant } = tenantOf(harness, nth);
  return harness.memory
    .items('conversations')
    .filter(
      ({ pk, body, ask }) => pk?.S?.includes(tenant) === true && (body !== undefined || ask !== undefined),
    )
    .map(({ pk, sk }) => `${pk?.S} ${sk?.S} is left`);
};

const OWN_KEY = 'sk-own-0123456789abcdef';

const RELAY: Told = {
  act: async (harness) => {
    await sayInDiscord(harness, question(1));
    await harness.pass(20_000);
    await sayInDiscord(harness, question(2));
  },
  answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
};

const UNINSTALL: Told = {
  act: async (harness) => {
    await harness.install(1);
    await harness.pass(10 * MINUTE);
    await askInSlack(harness, 1, 1);
    await harness.pass(2_000);
    await toldBy(harness, 1, () => tenantOf(harness, 1).sim.uninstall());
  },
  wrong: (harness) => keptOf(harness, 1),
};

export const DEPLOYMENT_STORIES: readonly Story[] = [
  story('discord-relay', RELAY),
  story('discord-slash', {
    act: async (harness) => {
      const user = harness.discord.state.users.get(ADA);
      if (!user) throw new Error('there is nobody');
      const options = { question: `what about ${tokenOf(1, 0, 0)}?` };
      await harness.interacts(slash(harness.discord.context, user, DISCORD_CHANNEL, 'ask', options));
    },
    answered: [tokenOf(1, 0, 0)],
  }),
  story('oauth-install', {
    act: async (harness) => {
      await harness.install(1);
      await harness.pass(10 * MINUTE);
      await askInSlack(harness, 1, 1);
      await harness.pass(2_000);
      // Installed again during the answer.
      await harness.install(1);
    },
    answered: [tokenOf(1, 0, 0)],
  }),
  story('oauth-uninstall', UNINSTALL),
  story('bot-token', {
    act: async (harness) => {
      await askInSlack(harness, 0, 1);
      await harness.pass(2_000);
      const botToken = 'xoxb-the-next';
      Object.assign(tenantOf(harness, 0).sim.identity, { botToken });
      harness.secrets['slack-bot'] = { botToken };
      await harness.pass(15_000);
      await askInSlack(harness, 0, 2);
    },
    answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
  }),
  story('own-key', {
    act: async (harness) => {
      const { tenant } = tenantOf(harness, 0);
      const home = { platform: 'slack' as const, workspace: workspaceId(tenant) };
      await harness.system().context.ownKeys?.save(home, OWN_KEY, userId('U1'));
      await askInSlack(harness, 0, 1);
      await harness.pass(20_000);
      await askInSlack(harness, 0, 2);
    },
    answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
    // If the tables cannot be read, the key of the deployment is used: docs/configuration.md.
    wrong: ({ requests, processes }) =>
      (processes.trace.some((line) => /get conversations !!|!! throttled/u.test(line)) ? [] : requests)
        .filter(({ key }) => key !== OWN_KEY)
        .map(({ key }) => `asked by ${key === DEPLOYMENT_KEY ? 'the deployment’s key' : 'no key'}`),
  }),
];

/** The stories that detect bugs of this kind, each with its bug. */
export const deploymentBug = (mutant: SeededBug): Story | undefined => {
  if (mutant === 'a failed deletion counts as done') return story(`bug-${mutant}`, UNINSTALL, mutant);
  if (mutant === 'events of unknown channels are dropped') return story(`bug-${mutant}`, RELAY, mutant);
  return undefined;
};
