import { userId, workspaceId } from '../../shared/domain/index.ts';
import { GRACE, GUILDS, LIN } from '../isolation/discord-tenants.ts';
import { CHANNEL, PERMISSION } from '../simulators/discord/flags.ts';
import { record } from '../simulators/discord/record.ts';
import { tokenOf } from '../soak/models.ts';
import type { Deployment } from './deployment.ts';
import {
  askInSlack,
  DISCORD_CHANNEL,
  type DeploymentScript,
  deploymentStory,
  isUndisturbed,
  question,
  sayInDiscord,
  tenantOf,
} from './deployment-story.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

const FOUND = 'The zebra invoice goes to the north office.';
const SECRET = 'The zebra prize stays between us.';
/** Its author had everything erased since. */
const ERASED = 'The zebra of old lives in the south.';
/** A channel that only some people may read. */
const PRIVATE_CHANNEL = { slack: 'G0SECRET00', discord: '301000000000000011' };

/** The permissions that Slack sent with the question of the person, for each run. */
const permissions = new WeakMap<Deployment, Set<string>>();

/** What the bot shows of answers, as JSON: texts, blocks and steps. */
const answersIn = ({ tenants, discord }: Deployment): readonly string[] =>
  [...tenants.map(({ sim }) => sim.state.messages), discord.state.messages]
    .flatMap((channels) => [...channels.values()])
    .flatMap((messages) => [...messages.values()])
    .map((message) => JSON.stringify(message))
    .filter((message) => message.includes('Answer to'));

/** The faults of a run, as they stand in its trace. */
const faultsIn = ({ processes }: Deployment) => processes.trace.filter((line) => line.includes(' !! '));

/** What is true on both platforms. `search`: how its request begins in traces. */
function wrongIn(harness: Deployment, search: string, link: string): string[] {
  const { prompts, memory } = harness;
  const answers = answersIn(harness);
  const stored = JSON.stringify([...memory.items('conversations'), ...memory.items('tokens')]);
  const isOnlyFault = (fault: string): boolean => {
    const faults = faultsIn(harness);
    return faults.length === 1 && faults.every((line) => line.includes(` ${search}`) && line.endsWith(fault));
  };
  const isWhole = isUndisturbed(harness);
  return [
    ...prompts.filter((one) => one.includes(SECRET)).map(() => 'a private message is in a prompt'),
    ...prompts
      .filter((one) => one.includes(ERASED))
      .map(() => 'a message from before an erasure is in a prompt'),
    ...[FOUND, SECRET, ERASED].filter((text) => stored.includes(text)).map((text) => `${text} is stored`),
    ...answers
      .filter((one) => one.includes('written [1]') && !one.includes(link))
      .map(() => 'an answer cites a source that it does not name'),
    ...(isWhole && !prompts.some((one) => one.includes(FOUND)) ? ['nothing is found'] : []),
    ...(isWhole && !answers.some((one) => one.includes(link)) ? ['the source is not named'] : []),
    ...(isOnlyFault('error') && !answers.some((one) => /does not respond/iu.test(one))
      ? ['nobody is told that the search failed']
      : []),
  ];
}

/** A person asks what somebody wrote in a public channel. Slack lets the bot search with the permission of this question. */
const IN_SLACK: DeploymentScript = {
  features: { tools: ['messages'] },
  act: async (harness) => {
    const { sim, tenant } = tenantOf(harness, 0);
    const [, grace, , lin] = sim.identity.users.map(({ id }) => id);
    sim.say(lin ?? '', ERASED);
    const erased = { platform: 'slack', workspace: workspaceId(tenant), user: userId(lin ?? '') } as const;
    await harness.system().context.erasureMoments.record(erased, harness.time.now());
    sim.say(grace ?? '', FOUND);
    sim.say(grace ?? '', SECRET, { channel: PRIVATE_CHANNEL.slack });
    const tokens = new Set<string>();
    permissions.set(harness, tokens);
    const stop = sim.onEvent((envelope) => {
      const [, token] = /"action_token":"([^"]+)"/u.exec(JSON.stringify(envelope)) ?? [];
      if (token !== undefined) tokens.add(token);
    });
    await askInSlack(harness, 0, 1);
    stop();
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) => {
    const { searchTokens, memory } = harness;
    const allowed = permissions.get(harness) ?? new Set();
    const stored = JSON.stringify(memory.items('conversations'));
    return [
      ...wrongIn(harness, 'assistant.search.context', '.slack.com/archives/'),
      ...(searchTokens.every((token) => allowed.has(token)) ? [] : ['somebody else’s permission is used']),
      ...([...allowed].some((token) => stored.includes(token)) ? ['the permission is stored'] : []),
      ...(isUndisturbed(harness) && searchTokens.length !== 1 ? [`${searchTokens.length} searches`] : []),
    ];
  },
};

/** A person asks what somebody wrote in a channel that everybody may read. Discord prepares its index at the first search. */
const IN_DISCORD: DeploymentScript = {
  features: { tools: ['messages'] },
  act: async (harness) => {
    const { discord } = harness;
    const [guild] = GUILDS;
    const overwrites = [{ id: guild, type: 0, allow: '0', deny: String(PERMISSION.viewChannel) }];
    const channel = { id: PRIVATE_CHANNEL.discord, type: CHANNEL.text, name: 'private', guild, overwrites };
    record(discord.context, { kind: 'channel', channel });
    discord.say(LIN, ERASED, { channel: DISCORD_CHANNEL });
    const erased = { platform: 'discord', workspace: workspaceId(guild), user: userId(LIN) } as const;
    await harness.system().context.erasureMoments.record(erased, harness.time.now());
    discord.say(GRACE, FOUND, { channel: DISCORD_CHANNEL });
    discord.say(GRACE, SECRET, { channel: PRIVATE_CHANNEL.discord });
    await sayInDiscord(harness, question(1));
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: (harness) =>
    wrongIn(harness, `GET /guilds/${GUILDS[0]}/messages/search`, '(<https://discord.com/channels/'),
};

export const MESSAGE_SEARCH_STORIES: readonly Story[] = [
  deploymentStory('slack-message-search', IN_SLACK),
  deploymentStory('discord-message-search', IN_DISCORD),
];

const BUGS: Partial<Record<SeededBug, DeploymentScript>> = {
  'an erasure that cannot be read is ignored': IN_SLACK,
  'a failed search counts as empty': IN_DISCORD,
};

/** The story that detects a bug of this kind, with the bug or without. */
export const messageSearchBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  BUGS[bug] && deploymentStory(`bug-${bug}`, BUGS[bug], isSeeded ? bug : undefined);
