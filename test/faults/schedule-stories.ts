import { channelId, userId, workspaceId } from '../../shared/domain/index.ts';
import { WEEKDAYS } from '../../shared/schedules/rules/index.ts';
import type { Schedule } from '../../shared/storage/index.ts';
import { ADA } from '../isolation/discord-tenants.ts';
import { tokenOf } from '../soak/models.ts';
import type { Deployment } from './deployment.ts';
import {
  deploymentStory,
  type DeploymentScript,
  DISCORD_CHANNEL,
  countLatePosts,
  isCard,
  MINUTE,
  PERSON,
  tenantOf,
} from './deployment-story.ts';
import type { Story } from './story.ts';

const ID = 'daily';

/** Stores a schedule of a person, due in a minute, and then every day at that time. */
export async function saveDue(
  harness: Deployment,
  schedule: Pick<Schedule, 'platform' | 'workspace' | 'by' | 'channel' | 'id' | 'content'>,
): Promise<void> {
  const dueMs = harness.time.now() + MINUTE;
  const due = new Date(dueMs);
  await harness.system().context.schedules.save({
    ...schedule,
    recurrence: {
      weekdays: WEEKDAYS,
      minuteOfDay: 60 * due.getUTCHours() + due.getUTCMinutes(),
      zone: 'UTC',
    },
    locale: undefined,
    dueMs: Math.ceil(dueMs / 1_000) * 1_000,
    failures: 0,
  });
}

/** The schedule of a question. */
const schedule = (
  harness: Deployment,
  place: Pick<Schedule, 'platform' | 'workspace' | 'by' | 'channel'>,
): Promise<void> =>
  saveDue(harness, {
    ...place,
    id: ID,
    content: { kind: 'prompt', prompt: `what about ${tokenOf(1, 0, 0)}?` },
  });

/** Whether the next run of the only schedule is set. */
export function isNextSet({ memory, time }: Deployment): boolean {
  const [item] = memory.items('conversations').filter(({ pk }) => pk?.S?.startsWith('SCHEDULE#'));
  return Number(item?.['due']?.N) * 1_000 > time.now();
}

/** Sweeps until the run is over. */
export async function untilRun(harness: Deployment): Promise<void> {
  for (let minute = 0; minute < 3; minute += 1) {
    await harness.pass(MINUTE);
    await harness.sweep();
  }
}

/** The messages that begin the thread of a run. */
const postsIn = ({ tenants, discord }: Deployment): number => {
  const inSlack = tenants.flatMap(({ sim }) =>
    [...(sim.state.messages.get(sim.channel)?.values() ?? [])].filter((message) => isCard(message, `${ID}#`)),
  );
  const inDiscord = [...(discord.state.messages.get(DISCORD_CHANNEL)?.values() ?? [])].filter(
    ({ author, content }) => author === discord.identity.applicationId && content === '',
  );
  return inSlack.length + inDiscord.length;
};

/** A run is posted and asked once, and the next one is set. */
const wrongIn = (harness: Deployment): string[] => {
  const posts = postsIn(harness);
  return [
    ...(posts >= 1 && posts <= 1 + countLatePosts(harness) ? [] : [`${posts} posts of one run`]),
    ...(isNextSet(harness) ? [] : ['the next run is not set']),
  ];
};

const script = (act: DeploymentScript['act']): DeploymentScript => ({
  features: { schedules: true },
  act: async (harness) => {
    await act(harness);
    await untilRun(harness);
  },
  answered: [tokenOf(1, 0, 0)],
  wrong: wrongIn,
});

/** A schedule in Slack. */
export const SLACK_SCHEDULE = script((harness) => {
  const { sim, tenant } = tenantOf(harness, 0);
  const by = userId(sim.identity.users[PERSON]?.id ?? '');
  return schedule(harness, {
    platform: 'slack',
    workspace: workspaceId(tenant),
    by,
    channel: channelId(sim.channel),
  });
});

/** A schedule in Discord. */
export const DISCORD_SCHEDULE = script((harness) =>
  schedule(harness, {
    platform: 'discord',
    workspace: workspaceId(harness.discord.state.channels.get(DISCORD_CHANNEL)?.guild ?? ''),
    by: userId(ADA),
    channel: channelId(DISCORD_CHANNEL),
  }),
);

export const SCHEDULE_STORIES: readonly Story[] = [
  deploymentStory('slack-schedule', SLACK_SCHEDULE),
  deploymentStory('discord-schedule', DISCORD_SCHEDULE),
];
