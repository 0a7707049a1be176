import { channelId, userId } from '../../../shared/domain/index.ts';
import { isJson, type Json } from '../../simulators/slack/state.ts';
import { ACTOR } from '../access-checker.ts';
import { changed, givingItems, rekeyed, type SeededBug, worker } from '../bug-parts.ts';
import { pressDiscordCard, pressSlackCard } from '../card-operations.ts';
import { type ChooseCommand, type Given, pick } from '../commands.ts';
import type { IsolationHarness } from '../harness.ts';
import type { Operation } from '../operation.ts';
import { install, NOBODY, someOperation } from '../operations.ts';
import { addDeniedChannels, changeAccess } from '../denied-channels.ts';
import * as discord from '../discord-operations.ts';
import { uninstall } from '../slack-reactions-and-home.ts';
import {
  actingAs,
  asking,
  everyAdmin,
  forgettingMe,
  onlyReader,
  type Feature,
  type MakeOperation,
  typing,
  typingAsAdmin,
} from './feature.ts';

const schedule = (options: Given['options']): Given => ({
  name: 'schedule',
  options,
  secret: true,
  operation: 'schedule',
});

/** Whom administrators let schedule in a channel or tenant. */
const allow =
  (value: string, level: string): ChooseCommand =>
  () => ({
    name: 'settings',
    options: { name: 'schedules', value, for: level },
    operation: 'setting of schedules',
  });

const allowSome: ChooseCommand = (of) =>
  allow(
    pick(of.random, ['off', 'admins', 'all', 'all', 'all']) ?? 'all',
    pick(of.random, ['channel', 'workspace', 'workspace']) ?? 'workspace',
  )(of);

/** Removes the app from a workspace or guild. */
const uninstallSome: MakeOperation = (harness) =>
  harness.random() < 0.5 ? uninstall(harness) : discord.leave(harness);

/** Schedules are on in each tenant. */
async function setUp(
  harness: IsolationHarness,
  perform: (operation: Operation) => Promise<void>,
): Promise<void> {
  addDeniedChannels(harness);
  for (const type of everyAdmin(harness)) {
    const operation = type(allow('all', 'workspace'));
    if (operation) await perform(operation);
  }
}

const TIMES = ['8:00', '9:00', '16:30'];

/** Sets up a prompt, or a digest of the channel. */
const create: MakeOperation = (harness) =>
  typing(({ random, here, user }) => {
    const at = pick(random, TIMES) ?? '9:00';
    if (random() < 0.3 || here.kind !== 'conversation')
      return schedule({ days: 'every-day', at, digest: pick(random, ['yesterday', 'week']) ?? 'week' });
    return schedule({
      what: `what about ${harness.schedules.plantPrompt(here, user)}?`,
      days: 'every-day',
      at,
    });
  })(harness);

const list: ChooseCommand = () => schedule({});

/** The summary of the week, which only administrators get. */
const weekly: ChooseCommand = ({ random }) => ({
  name: 'weekly',
  options: { do: pick(random, ['on', 'off']) ?? 'on', to: pick(random, ['me', 'channel']) ?? 'me' },
  secret: true,
  operation: 'weekly',
});

const BUTTONS = /schedule\.(?:pause|resume|run|delete)/u;
const RUN = /schedule\.run/u;

/** Presses a button of a schedule on a card that only this person sees. `forge` changes it before it is sent. */
function press(
  harness: IsolationHarness,
  action: RegExp,
  forge?: (action: Json) => Json,
): Operation | undefined {
  return harness.random() < 0.6
    ? pressSlackCard(harness, action, onlyReader, forge)
    : pressDiscordCard(harness, action, onlyReader, forge);
}

/** Presses a button with the id of another schedule, which may be of another person, channel or tenant. */
function pressForged(harness: IsolationHarness): Operation | undefined {
  const { records } = harness.schedules;
  const other = pick(harness.random, records.slice(-20));
  if (!other) return undefined;
  const operation = press(harness, BUTTONS, (action) => {
    const text = records.reduce(
      (rest, { id }) => rest.replaceAll(`|${id}`, `|${other.id}`),
      JSON.stringify(action),
    );
    const forged: unknown = JSON.parse(text);
    return isJson(forged) ? forged : action;
  });
  return operation && { ...operation, actor: actingAs(operation.actor, 'schedule pressed forged') };
}

const DAY_MS = 86_400_000;

/** Time passes, and the sweeper enqueues what is due. Nobody causes that; each run acts for its author. */
const sweep: MakeOperation = (harness) => {
  const pause = harness.random() < 0.4 ? harness.random() * DAY_MS : 0;
  const act = (): Promise<unknown> => {
    harness.time.advance(pause);
    return ACTOR.exit(() => harness.system.enqueueDueRuns());
  };
  return { actor: { ...NOBODY, operation: 'system: sweep' }, act };
};

const ONE = 'T0PARLEY00';

/** Tables that keep the schedules that these operations erase. */
const withoutErasureBy =
  (operation: RegExp): NonNullable<SeededBug['ground']> =>
  (ground) => ({
    ...ground,
    dynamo: {
      ...ground.dynamo,
      delete: async (input) => {
        const isSchedule = input.Key?.['pk']?.S?.startsWith('SCHEDULE#') === true;
        if (!isSchedule || !operation.test(ACTOR.getStore()?.operation ?? ''))
          await ground.dynamo.delete(input);
      },
    },
  });

/** Bugs of schedules that a run must detect. */
const BUGS: readonly SeededBug[] = [
  {
    name: 'schedules of all workspaces in one partition',
    ground: rekeyed((pk) => pk.replace(/^SCHEDULE#slack#.*/u, `SCHEDULE#slack#${ONE}`)),
  },
  {
    name: 'everybody changes all schedules',
    system: worker(({ schedules }) => ({
      schedules: changed(schedules, 'find', async (...of) => {
        const stored = await schedules.find(...of);
        const user = ACTOR.getStore()?.user;
        return stored && user !== undefined ? { ...stored, by: userId(user) } : stored;
      }),
    })),
  },
  {
    name: 'the schedules of others are listed',
    system: worker(({ schedules }) => ({
      schedules: changed(schedules, 'list', async (place) =>
        (await schedules.list(place)).map((one) => ({ ...one, by: userId(ACTOR.getStore()?.user ?? '') })),
      ),
    })),
  },
  {
    name: 'a schedule runs in another channel',
    system: worker(({ schedules }) => ({
      schedules: changed(schedules, 'find', async (...of) => {
        const stored = await schedules.find(...of);
        return stored && { ...stored, channel: channelId('C0SHARED00') };
      }),
    })),
  },
  {
    name: 'the schedules of a forgotten person stay',
    ground: withoutErasureBy(/^forget$/u),
  },
  {
    name: 'schedules run where they are off',
    ground: givingItems((item) => {
      const layer = item['layer']?.S?.replaceAll('"schedules":"off"', '"schedules":"all"');
      return layer === undefined ? item : { ...item, layer: { S: layer } };
    }),
  },
  {
    name: 'schedules stay after an uninstall',
    ground: withoutErasureBy(/^(?:uninstall|leave)/u),
  },
  {
    name: 'a schedule runs where its author may not read',
    system: worker(() => ({ channelAccess: () => Promise.resolve('allowed' as const) })),
  },
  {
    name: 'a paused schedule runs',
    ground: (ground) => ({
      ...ground,
      dynamo: {
        ...ground.dynamo,
        get: async (input) => {
          const { Item: item, ...rest } = await ground.dynamo.get(input);
          const body = item?.['body']?.S?.replace('"isPaused":true', '"isPaused":false');
          const isSchedule = item?.['pk']?.S?.startsWith('SCHEDULE#') === true && body !== undefined;
          return { ...rest, Item: isSchedule ? { ...item, body: { S: body } } : item };
        },
      },
    }),
  },
];

/** What runs at set times: in whose name, where, and who sees, changes and starts it. */
export const SCHEDULES: Feature = {
  setUp,
  operations: [
    [14, create],
    [10, typing(list)],
    [8, typingAsAdmin(list)],
    [14, (harness) => press(harness, BUTTONS)],
    [14, (harness) => press(harness, RUN)],
    [12, pressForged],
    [8, sweep],
    [7, forgettingMe],
    [2, typing(weekly)],
    [2, typingAsAdmin(weekly)],
    [8, typingAsAdmin(allowSome)],
    [2, typing(allowSome)],
    [1, uninstallSome],
    [2, install],
    [3, changeAccess],
    [10, asking],
    [12, someOperation],
  ],
  bugs: BUGS,
};
