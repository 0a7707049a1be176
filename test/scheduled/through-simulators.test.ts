import { describe, expect, test } from '@jest/globals';
import { ADA } from '../isolation/discord-tenants.ts';
import { PERMISSION } from '../simulators/discord/flags.ts';
import { press, slash } from '../simulators/discord/interaction-payloads.ts';
import type { Message as DiscordMessage } from '../simulators/discord/state.ts';
import { Deployment } from '../faults/deployment.ts';
import { DISCORD_CHANNEL, MINUTE, PERSON, tenantOf } from '../faults/deployment-story.ts';
import { DISCORD_SCHEDULE } from '../faults/schedule-stories.ts';
import { tokenOf } from '../soak/models.ts';

const HOUR = 60 * MINUTE;
/** The type of Discord's own message at the beginning of a thread. */
const THREAD_STARTER = 21;
const QUESTION = `what about ${tokenOf(1, 0, 0)}?`;

/** What a person does with schedules on one platform, and what everybody reads there. */
type Side = {
  readonly type: (what: string | undefined) => Promise<void>;
  /** Presses a button of the newest card that only the person sees. */
  readonly press: (label: string) => Promise<void>;
  /** What only the person sees, newest last. */
  readonly notices: () => readonly string[];
  /** What the bot wrote in channels and direct messages. */
  readonly posted: () => readonly string[];
  /** Removes the bot from the channel of the schedule, or adds it again. */
  readonly setMember: (isMember: boolean) => void;
};

function begin(): Deployment {
  const harness = new Deployment(() => undefined, { features: { schedules: true } });
  harness.start();
  return harness;
}

function onSlack(harness: Deployment): Side {
  const { sim } = tenantOf(harness, 0);
  const ada = sim.identity.users[PERSON]?.id ?? '';
  const messages = (to: string | undefined) =>
    [...sim.state.messages.values()]
      .flatMap((some) => [...some.values()])
      .filter(({ user, ephemeralTo }) => user === sim.identity.botUserId && ephemeralTo === to);
  const send = async (fields: Readonly<Record<string, unknown>>): Promise<void> => {
    await harness.slackForm(
      Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)])),
    );
    await harness.pass(MINUTE);
  };
  return {
    type: (what = '') => send(sim.command(ada, `/parley schedule ${what}`.trim(), sim.channel)),
    press: (label) => {
      const card = messages(ada).findLast((one) => JSON.stringify(one.blocks).includes(`"${label}"`));
      return send({ payload: JSON.stringify(sim.press(ada, card?.ts ?? '', label)) });
    },
    notices: () => messages(ada).map((one) => JSON.stringify(one)),
    posted: () => messages(undefined).map((one) => JSON.stringify(one)),
    setMember(isMember) {
      const channel = sim.state.channels.get(sim.channel);
      if (!channel) throw new Error('there is no channel');
      const { botUserId } = sim.identity;
      const others = channel.members.filter((one) => one !== botUserId);
      sim.state.channels.set(sim.channel, {
        ...channel,
        members: [...others, ...(isMember ? [botUserId] : [])],
      });
    },
  };
}

function onDiscord(harness: Deployment): Side {
  const { discord } = harness;
  const user = discord.state.users.get(ADA);
  if (!user) throw new Error('there is nobody');
  const messages = (isForAda: boolean): DiscordMessage[] =>
    [...discord.state.messages.values()]
      .flatMap((some) => [...some.values()])
      .filter(
        ({ author, ephemeralTo, type }) =>
          author === discord.identity.applicationId &&
          (ephemeralTo !== undefined) === isForAda &&
          type !== THREAD_STARTER,
      );
  const send = async (request: ReturnType<typeof slash>): Promise<void> => {
    await harness.interacts(request);
    await harness.pass(MINUTE);
  };
  return {
    type: (what) =>
      send(slash(discord.context, user, DISCORD_CHANNEL, 'schedule', what === undefined ? {} : { what })),
    press: (label) => {
      const isButton = new RegExp(`"label":"${label}"[^{}]*`, 'u');
      const card = messages(true).findLast((one) => isButton.test(JSON.stringify(one.components)));
      const id = /schedule\.[a-z]+\|[^"]*/u.exec(
        JSON.stringify(card?.components)
          .split('{')
          .find((one) => one.includes(`"label":"${label}"`)) ?? '',
      )?.[0];
      if (!card || id === undefined) throw new Error(`no button ${label}`);
      return send(press(discord.context, user, card, id, undefined));
    },
    notices: () => messages(true).map((one) => JSON.stringify(one)),
    posted: () => messages(false).map((one) => JSON.stringify(one)),
    setMember(isMember) {
      const channel = discord.state.channels.get(DISCORD_CHANNEL);
      if (!channel) throw new Error('there is no channel');
      const denied = isMember ? '0' : String(PERMISSION.viewChannel);
      discord.state.channels.set(DISCORD_CHANNEL, { ...channel, denied });
    },
  };
}

/** Passes hours, and sweeps every minute around each full hour. */
async function passHours(harness: Deployment, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour += 1) {
    await harness.pass(HOUR - MINUTE);
    await harness.sweep();
    await harness.pass(MINUTE);
  }
}

describe.each([
  ['Slack', onSlack],
  ['Discord', onDiscord],
])('in %s', (_, sideOf) => {
  test('a schedule is made by the command, runs at its time, is listed, paused, resumed and deleted', async () => {
    const harness = begin();
    const side = sideOf(harness);
    await side.type(`every day at 9, ${QUESTION}`);
    expect(side.notices().at(-1)).toMatch(/what about q1x0x0q\?.*Every day, 09:00/u);
    await passHours(harness, 24);
    const [post, answer, ...more] = side.posted();
    expect(post).toMatch(/what about q1x0x0q\?.*Scheduled by/u);
    expect(answer).toContain(`Answer to ${tokenOf(1, 0, 0)}:`);
    expect(more).toEqual([]);

    await side.type(undefined);
    expect(side.notices().at(-1)).toMatch(/What is scheduled.*what about q1x0x0q\?/u);
    await side.press('Pause');
    await passHours(harness, 24);
    expect(side.posted()).toHaveLength(2);
    await side.type(undefined);
    await side.press('Resume');
    await passHours(harness, 24);
    expect(side.posted()).toHaveLength(4);
    await side.type(undefined);
    await side.press('Delete');
    await side.type(undefined);
    expect(side.notices().at(-1)).toContain('Nothing is scheduled');
    await passHours(harness, 24);
    expect(side.posted()).toHaveLength(4);
  });

  test('the author learns that the bot has lost the channel; the schedule is paused after four runs, and goes on when it is resumed', async () => {
    const harness = begin();
    const side = sideOf(harness);
    // The clock begins at 14:13.
    await side.type(`every day at 15, ${QUESTION}`);
    side.setMember(false);
    await harness.pass(46 * MINUTE);
    const passDay = async () => {
      await harness.sweep();
      await harness.pass(24 * HOUR);
    };
    for (let day = 0; day < 5; day += 1) await passDay();
    const directMessages = side.posted();
    expect(directMessages).toEqual([
      expect.stringContaining('I could not post what you scheduled'),
      expect.stringMatching(/I have paused your schedule.*Resume/u),
    ]);

    side.setMember(true);
    await side.type(undefined);
    expect(side.notices().at(-1)).toMatch(/what about q1x0x0q\?.*Paused/u);
    await side.press('Resume');
    await passDay();
    await passDay();
    expect(side.posted()).toHaveLength(directMessages.length + 2);
  });
});

test('in Discord, a run whose workers are killed behind the post until its nonce is forgotten is posted once', async () => {
  let posts = 0;
  const harness = new Deployment(
    (_, name) => {
      if (name !== `POST /channels/${DISCORD_CHANNEL}/messages`) return undefined;
      posts += 1;
      return 'die-after';
    },
    { features: { schedules: true } },
  );
  harness.start();
  await DISCORD_SCHEDULE.act(harness);
  expect(posts).toBeGreaterThan(0);
  for (let minute = 0; minute < 20; minute += 1) {
    await harness.pass(MINUTE);
    await harness.sweep();
  }
  const posted = onDiscord(harness).posted();
  expect(posted.filter((one) => one.includes('Scheduled by'))).toHaveLength(1);
  expect(posted).toHaveLength(2);
  expect(DISCORD_SCHEDULE.wrong?.(harness)).toEqual([]);
});
