import { userId, workspaceId } from '../../shared/domain/index.ts';
import { slash } from '../simulators/discord/asking.ts';
import { ADA } from '../isolation/discord-places.ts';
import { DEPLOYMENT_KEY } from '../isolation/secrets.ts';
import { tokenOf, tokensIn } from '../soak/models.ts';
import type { Json } from '../simulators/slack/state.ts';
import { Deployment } from './deployment.ts';
import type { Mutant } from './mutants.ts';
import type { Story } from './story.ts';

const DISCORD_CHANNEL = '301000000000000001';
const PERSON = 0;
const MINUTE = 60_000;
/** By then all retries of the platforms, the queue and the sweeper have been. */
const MAX_MINUTES = 45;

type Told = {
  readonly act: (world: Deployment) => Promise<void>;
  /** The questions that are answered, once each, wherever the bot writes. */
  readonly answered?: readonly string[];
  readonly wrong?: (world: Deployment) => readonly string[];
};

/** What the bot has written, wherever it was. */
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

function wrongIn(world: Deployment, { answered, wrong }: Told): string[] {
  const messages = saidBy(world);
  const tokens = messages.flatMap((text) => tokensIn(/Answer to [^:]*:/u.exec(text)?.[0] ?? ''));
  const said = tokens.toSorted().join();
  const should = answered?.toSorted().join() ?? said;
  // Each question has one message: its answer, or one that says that it cannot be answered.
  const isEachOnce = messages.length === answered?.length && new Set(tokens).size === tokens.length;
  const isExcused = world.hasDeadLetters && isEachOnce;
  return [
    ...(said === should || isExcused ? [] : [`answered are ${said || 'none'} instead of ${should}`]),
    ...(world.isIdle ? [] : ['there is still something to do']),
    ...world.checker.violations,
    ...(wrong?.(world) ?? []),
  ];
}

const story = (name: string, told: Told, mutant?: Mutant): Story => ({
  name,
  async play(plan) {
    const world = new Deployment(plan, mutant);
    world.start();
    await told.act(world);
    for (let minute = 0; minute < MAX_MINUTES; minute += 1) {
      await world.pass(MINUTE);
      await world.sweep();
      if (world.isIdle && minute > 12) break;
    }
    await world.pass(MINUTE);
    const { points, trace } = world.processes;
    return { points, wrong: wrongIn(world, told), trace: () => trace, gaveUp: world.gaveUp };
  },
});

const question = (thread: number): string => `@parley what about ${tokenOf(thread, 0, 0)}?`;

/** Somebody writes in Discord, and the gateway tells of it. */
async function sayInDiscord(world: Deployment, text: string): Promise<void> {
  const dispatches: { t: string; d: unknown }[] = [];
  const stop = world.discord.onDispatch((one) => dispatches.push(one));
  world.discord.say(ADA, text, { channel: DISCORD_CHANNEL });
  stop();
  await world.gatewayTells(dispatches);
}

/** What a workspace of Slack's tells of what is done there. */
function toldBy(world: Deployment, nth: number, act: () => void): Promise<void> {
  const { sim } = tenantOf(world, nth);
  const envelopes: Json[] = [];
  const stop = sim.onEvent((one) => envelopes.push(one));
  act();
  stop();
  return world.slackTells(envelopes);
}

function tenantOf({ tenants }: Deployment, nth: number) {
  const tenant = tenants[nth];
  if (!tenant) throw new Error('no such workspace');
  return tenant;
}

const askInSlack = (world: Deployment, nth: number, thread: number): Promise<void> => {
  const { sim } = tenantOf(world, nth);
  const text = question(thread).replace('parley', sim.identity.botName);
  return toldBy(world, nth, () => void sim.say(sim.identity.users[PERSON]?.id ?? '', text));
};

/** What the tables keep of a workspace's words after it has removed the app. */
const keptOf = (world: Deployment, nth: number): readonly string[] => {
  const { tenant } = tenantOf(world, nth);
  return world.memory
    .items('conversations')
    .filter(
      ({ pk, body, ask }) => pk?.S?.includes(tenant) === true && (body !== undefined || ask !== undefined),
    )
    .map(({ pk, sk }) => `${pk?.S} ${sk?.S} is left`);
};

const OWN_KEY = 'sk-own-0123456789abcdef';

const RELAY: Told = {
  act: async (world) => {
    await sayInDiscord(world, question(1));
    await world.pass(20_000);
    await sayInDiscord(world, question(2));
  },
  answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
};

const UNINSTALL: Told = {
  act: async (world) => {
    await world.install(1);
    await world.pass(10 * MINUTE);
    await askInSlack(world, 1, 1);
    await world.pass(2_000);
    await toldBy(world, 1, () => tenantOf(world, 1).sim.uninstall());
  },
  wrong: (world) => keptOf(world, 1),
};

export const DEPLOYMENT_STORIES: readonly Story[] = [
  story('discord-relay', RELAY),
  story('discord-slash', {
    act: async (world) => {
      const user = world.discord.state.users.get(ADA);
      if (!user) throw new Error('there is nobody');
      const options = { question: `what about ${tokenOf(1, 0, 0)}?` };
      await world.interacts(slash(world.discord.world, user, DISCORD_CHANNEL, 'ask', options));
    },
    answered: [tokenOf(1, 0, 0)],
  }),
  story('oauth-install', {
    act: async (world) => {
      await world.install(1);
      await world.pass(10 * MINUTE);
      await askInSlack(world, 1, 1);
      await world.pass(2_000);
      // Installed once more while it answers.
      await world.install(1);
    },
    answered: [tokenOf(1, 0, 0)],
  }),
  story('oauth-uninstall', UNINSTALL),
  story('bot-token', {
    act: async (world) => {
      await askInSlack(world, 0, 1);
      await world.pass(2_000);
      const botToken = 'xoxb-the-next';
      Object.assign(tenantOf(world, 0).sim.identity, { botToken });
      world.secrets['slack-bot'] = { botToken };
      await world.pass(15_000);
      await askInSlack(world, 0, 2);
    },
    answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
  }),
  story('own-key', {
    act: async (world) => {
      const { tenant } = tenantOf(world, 0);
      const home = { platform: 'slack' as const, workspace: workspaceId(tenant) };
      await world.system().context.ownKeys?.save(home, OWN_KEY, userId('U1'));
      await askInSlack(world, 0, 1);
      await world.pass(20_000);
      await askInSlack(world, 0, 2);
    },
    answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
    // Where the tables do not say which key it is, the deployment's answers: docs/configuration.md.
    wrong: ({ requests, processes }) =>
      (processes.trace.some((line) => /get conversations !!|!! throttled/u.test(line)) ? [] : requests)
        .filter(({ key }) => key !== OWN_KEY)
        .map(({ key }) => `asked by ${key === DEPLOYMENT_KEY ? 'the deployment’s key' : 'no key'}`),
  }),
];

/** The stories that show bugs of this kind, each with the bug in it. */
export const deploymentBug = (mutant: Mutant): Story | undefined => {
  if (mutant === 'a deletion that fails is taken for done') return story(`bug-${mutant}`, UNINSTALL, mutant);
  if (mutant === 'what the relay cannot look up is passed over') return story(`bug-${mutant}`, RELAY, mutant);
  return undefined;
};
