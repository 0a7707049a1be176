import { userId, workspaceId } from '../../shared/domain/index.ts';
import { slash } from '../simulators/discord/interaction-payloads.ts';
import { ADA } from '../isolation/discord-tenants.ts';
import { DEPLOYMENT_KEY } from '../isolation/secrets.ts';
import { tokenOf } from '../soak/models.ts';
import {
  askInSlack,
  DISCORD_CHANNEL,
  deploymentStory,
  type DeploymentScript,
  MINUTE,
  question,
  sayInDiscord,
  tenantOf,
  toldBy,
} from './deployment-story.ts';
import type { Deployment } from './deployment.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

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

const RELAY: DeploymentScript = {
  act: async (harness) => {
    await sayInDiscord(harness, question(1));
    await harness.pass(20_000);
    await sayInDiscord(harness, question(2));
  },
  answered: [tokenOf(1, 0, 0), tokenOf(2, 0, 0)],
};

const UNINSTALL: DeploymentScript = {
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
  deploymentStory('discord-relay', RELAY),
  deploymentStory('discord-slash', {
    act: async (harness) => {
      const user = harness.discord.state.users.get(ADA);
      if (!user) throw new Error('there is nobody');
      const options = { question: `what about ${tokenOf(1, 0, 0)}?` };
      await harness.interacts(slash(harness.discord.context, user, DISCORD_CHANNEL, 'ask', options));
    },
    answered: [tokenOf(1, 0, 0)],
  }),
  deploymentStory('oauth-install', {
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
  deploymentStory('oauth-uninstall', UNINSTALL),
  deploymentStory('bot-token', {
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
  deploymentStory('own-key', {
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

/** The story that detects a bug of this kind, with the bug or without. */
export const deploymentBug = (bug: SeededBug, isSeeded: boolean): Story | undefined => {
  const mutant = isSeeded ? bug : undefined;
  if (bug === 'a failed deletion counts as done') return deploymentStory(`bug-${bug}`, UNINSTALL, mutant);
  if (bug === 'events of unknown channels are dropped') return deploymentStory(`bug-${bug}`, RELAY, mutant);
  return undefined;
};
