import { userId, workspaceId } from '../../shared/domain/index.ts';
import type { Schedule } from '../../shared/storage/index.ts';
import { ADA, GUILDS } from '../isolation/discord-tenants.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { Message } from '../simulators/slack/state.ts';
import type { Deployment } from './deployment.ts';
import {
  type DeploymentScript,
  deploymentStory,
  countLatePosts,
  isCard,
  isUndisturbed,
  tenantOf,
} from './deployment-story.ts';
import { personIn, type, untilDone } from './person-actions.ts';
import { isNextSet, saveDue, untilRun } from './schedule-stories.ts';
import type { SeededBug } from './seeded-bugs.ts';
import type { Story } from './story.ts';

const SAID = 'The zebra invoice goes to the north office.';
const SECRET = 'The zebra prize stays between us.';
const SECRET_CHANNEL = 'G0SECRET00';

/** The messages with a summary of what was said. */
const summariesIn = (harness: Deployment): Message[] =>
  [...tenantOf(harness, 0).sim.state.messages.values()]
    .flatMap((messages) => [...messages.values()])
    .filter((message) => JSON.stringify(message).includes('Answer to'));

/** The tables of the runs in which a summary that was stored before was requested from the model. */
const repeated = new WeakSet<MemoryDynamo>();
/** The commands of a run: each is a request of its own. */
const commands = new WeakMap<Deployment, number>();

const isPressedTwice = ({ processes }: Deployment): boolean =>
  processes.trace.some((line) => line.includes(' press !! '));

/** A person catches up with what others said in a channel since their last message, and does so again while they see nothing. */
const CATCH_UP: DeploymentScript = {
  features: {
    onRequest: (memory) => {
      const isStored = memory.hasItem('conversations', ({ sk }) => sk?.S?.startsWith('DRAFT#') === true);
      if (isStored) repeated.add(memory);
    },
  },
  act: async (harness) => {
    const { sim } = tenantOf(harness, 0);
    const grace = sim.identity.users[1]?.id ?? '';
    sim.say(personIn(harness), 'Good morning.');
    sim.say(grace, SECRET, { channel: SECRET_CHANNEL });
    sim.say(grace, SAID);
    await untilDone(
      () => summariesIn(harness).length > 0,
      async () => {
        commands.set(harness, (commands.get(harness) ?? 0) + 1);
        await type(harness, 'catchup');
        await harness.pass(120_000);
      },
    );
  },
  answered: [],
  wrong: (harness) => {
    const summaries = summariesIn(harness);
    const isWhole = isUndisturbed(harness);
    return [
      ...summaries
        .filter(({ ephemeralTo }) => ephemeralTo !== personIn(harness))
        .map(() => 'somebody else sees the summary'),
      ...harness.prompts
        .filter((one) => one.includes(SECRET))
        .map(() => 'a message of another channel is in a prompt'),
      ...(isWhole && summaries.length !== 1 ? [`${summaries.length} summaries`] : []),
      ...(isWhole && !harness.prompts.some((one) => one.includes(SAID)) ? ['nothing is summarized'] : []),
      ...(summaries.length > 0 || harness.hasDeadLetters ? [] : ['the person sees no summary']),
      ...(commands.get(harness) === 1 && !isPressedTwice(harness) && repeated.has(harness.memory)
        ? ['a stored summary is requested again']
        : []),
    ];
  },
};

/** Subscribes an administrator to the weekly summary as a direct message. */
const subscribe = (
  harness: Deployment,
  { platform, workspace, by }: Pick<Schedule, 'platform' | 'workspace' | 'by'>,
): Promise<void> =>
  saveDue(harness, {
    platform,
    workspace,
    by,
    channel: undefined,
    id: `weekly-${by}`,
    content: { kind: 'weekly-summary' },
  });

/** `count`: the weekly summaries that the administrator has. */
const weekly = (
  act: (harness: Deployment) => Promise<void>,
  count: (harness: Deployment) => number,
): DeploymentScript => ({
  features: { schedules: true },
  act: async (harness) => {
    await act(harness);
    await untilRun(harness);
  },
  answered: [],
  wrong: (harness) => [
    ...(count(harness) >= 1 && count(harness) <= 1 + countLatePosts(harness)
      ? []
      : [`${count(harness)} summaries of one week`]),
    ...(isNextSet(harness) ? [] : ['the next run is not set']),
  ],
});

const IN_SLACK = weekly(
  (harness) => {
    const workspace = workspaceId(tenantOf(harness, 0).tenant);
    return subscribe(harness, { platform: 'slack', workspace, by: userId(personIn(harness)) });
  },
  (harness) =>
    [...tenantOf(harness, 0).sim.state.messages.values()]
      .flatMap((messages) => [...messages.values()])
      .filter((message) => isCard(message, 'weekly-')).length,
);

const IN_DISCORD = weekly(
  (harness) =>
    subscribe(harness, { platform: 'discord', workspace: workspaceId(GUILDS[0]), by: userId(ADA) }),
  ({ discord }) =>
    [...discord.state.messages.values()]
      .flatMap((messages) => [...messages.values()])
      .filter(({ author }) => author === discord.identity.applicationId).length,
);

export const SUMMARY_STORIES: readonly Story[] = [
  deploymentStory('catch-up', CATCH_UP),
  deploymentStory('slack-weekly', IN_SLACK),
  deploymentStory('discord-weekly', IN_DISCORD),
];

const BUGS: Partial<Record<SeededBug, DeploymentScript>> = {
  'a stored summary is requested again': CATCH_UP,
  'an earlier direct message is not searched': IN_SLACK,
};

/** The story that detects a bug of this kind, with the bug or without. */
export const summaryBug = (bug: SeededBug, isSeeded: boolean): Story | undefined =>
  BUGS[bug] && deploymentStory(`bug-${bug}`, BUGS[bug], isSeeded ? bug : undefined);
