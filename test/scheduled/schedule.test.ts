import { beforeEach, describe, expect, test } from '@jest/globals';
import { findScheduleRefusal } from '../../shared/commands/definitions/scheduled/may-schedule.ts';
import {
  type InteractionPayload,
  messageId,
  NO_GUILD,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { SettingsStore } from '../../shared/storage/index.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { ADMIN, MEMBER } from '../commands/settings-harness.ts';
import { DAY_MS, FRIDAY, MONDAY, scheduleHarness } from './schedule-harness.ts';

const TEXT = 'schedule every weekday at 9, what is new?';
const OTHER = { ...MEMBER, user: userId('U2') };

let at: Awaited<ReturnType<typeof scheduleHarness>>;

beforeEach(async () => {
  at = await scheduleHarness();
});

test('a prompt is asked on weekdays, as a question of its author, below a message that names them', async () => {
  const card = await at.type(TEXT);
  expect(card).toMatch(/"Scheduled".*what is new\?.*Monday to Friday, 09:00 \(UTC\).*Fri,? 2 Jan, 09:00/u);
  expect(await at.runAt(FRIDAY - 1)).toEqual([]);
  const [question] = await at.runAt(FRIDAY);
  expect(question).toMatchObject({ question: 'what is new?', asker: MEMBER.user, thread: { channel: 'C1' } });
  expect(question?.thread.root).toBe(question?.message);
  expect(at.posts()).toEqual([expect.stringMatching(/what is new\?.*Scheduled by <@U1>: Monday to Friday/u)]);
  // Not on Saturday.
  expect(await at.runAt(FRIDAY + DAY_MS)).toEqual([]);
  expect(await at.runAt(MONDAY)).toHaveLength(1);
  expect(at.posts()).toHaveLength(2);
});

test('a time is kept when the clocks change', async () => {
  at.time.advance(Date.parse('2026-03-28T12:00:00Z') - at.time.now());
  await at.type('schedule every sunday at 9, news zone:Europe/Berlin');
  expect(await at.runAt(Date.parse('2026-03-29T06:59:59Z'))).toHaveLength(0);
  expect(await at.runAt(Date.parse('2026-03-29T07:00:00Z'))).toHaveLength(1);
});

describe('who may', () => {
  test('nobody, until an administrator allows it', async () => {
    at = await scheduleHarness({}, 'off');
    expect(await at.type(TEXT, ADMIN)).toMatch(/`\/parley settings schedules all for:workspace`/u);
    expect(await at.list()).toEqual([]);
  });

  test('only administrators', async () => {
    at = await scheduleHarness({}, 'admins');
    expect(await at.type(TEXT)).toContain('Only administrators');
    expect(await at.type(TEXT, ADMIN)).toContain('"Scheduled"');
  });

  test('each person so many', async () => {
    await at.type('settings scheduleLimit 1 for:workspace', ADMIN);
    await at.type(TEXT);
    expect(await at.type(TEXT)).toContain('You have one schedule already');
    expect(await at.type(TEXT, OTHER)).toContain('"Scheduled"');
  });

  test('nobody more than that, also with two at once: neither stays, and both are told', async () => {
    await at.type('settings scheduleLimit 1 for:workspace', ADMIN);
    await Promise.all([at.type(TEXT), at.type(TEXT)]);
    expect(await at.list()).toEqual([]);
    const answers = at.stage.answers.slice(-2).map(({ card }) => JSON.stringify(card));
    for (const answer of answers) expect(answer).toContain('You have one schedule already');
    expect(at.logged.filter((line) => line.startsWith('schedule.changed'))).toEqual([]);
    expect(await at.type(TEXT)).toContain('"Scheduled"');
  });

  test('a repeated delivery of the last one that they may create is no other one', async () => {
    await at.type('settings scheduleLimit 1 for:workspace', ADMIN);
    expect(await at.type(TEXT, MEMBER, { id: 'repeated' })).toContain('"Scheduled"');
    expect(await at.type(TEXT, MEMBER, { id: 'repeated' })).toContain('"Scheduled"');
    expect(await at.list()).toHaveLength(1);
    expect(at.logged.filter((line) => line.startsWith('schedule.changed'))).toHaveLength(1);
  });

  test('also where the process that stored one too many died before it looked again', async () => {
    await at.type('settings scheduleLimit 1 for:workspace', ADMIN);
    await at.type(TEXT, MEMBER, { id: 'first' });
    for (const schedule of await at.list()) await at.schedules.save({ ...schedule, id: 'second' });
    expect(await at.type(TEXT, MEMBER, { id: 'second' })).toContain('You have one schedule already');
    expect((await at.list()).map(({ id }) => id)).toEqual(['first']);
  });

  test('an administrator directly after they allowed it, also if another process stored that', async () => {
    at = await scheduleHarness({}, 'off');
    expect(await at.type(TEXT, ADMIN)).toContain('Nobody may schedule');
    const { dynamo, time } = at;
    const other = new SettingsStore({ dynamo, table: 'conversations', now: time.now });
    const { platform, workspace } = fakeInteraction(typedCommand(''));
    const change = { kind: 'value', level: 'workspace', setting: 'schedules', value: 'all' } as const;
    await other.change({ platform, workspace }, 'workspace', {
      change,
      edit: (layer) => ({ ...layer, values: { ...layer.values, schedules: 'all' } }),
      by: 'U1',
    });
    expect(await at.type(TEXT, ADMIN)).toContain('"Scheduled"');
  });

  test.each([
    ['where it was not added', { botAbsent: true }],
    ['in a direct chat', { workspace: workspaceId(NO_GUILD) }],
  ] as const)('nobody on Discord %s: the bot says where it works', async (_, place) => {
    at = await scheduleHarness();
    const options = { what: 'what is new?', days: 'weekdays', at: '9:00' };
    const payload: InteractionPayload = { kind: 'command', name: 'schedule', options, attachments: [] };
    await at.call(fakeInteraction(payload, { by: ADMIN, platform: 'discord', ...place }));
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain(
      'works only in a server that I was added to',
    );
    expect(await at.list()).toEqual([]);
  });

  test('nobody in a direct chat of Discord: it has no administrator', () => {
    const all = { workspace: { values: { schedules: 'all' as const } } };
    expect(findScheduleRefusal({ workspace: workspaceId(NO_GUILD) }, all, true)).toBe('off');
    expect(findScheduleRefusal({ workspace: workspaceId('1') }, all, false)).toBeUndefined();
  });
});

test.each([
  ['schedule what is new?', /do not understand when.*schedule every weekday at 9/u],
  ['schedule every weekday at 9', /what I should do/u],
  ['schedule mondays every other week, news', /do not understand when/u],
  ['schedule news days:monday at:soon', /“soon” is not a time of day/u],
  ['schedule news days:monday zone:Mars', /“Mars” is not a time zone/u],
])('%s is explained', async (text, expected) => {
  expect(await at.type(text)).toMatch(expected);
  expect(await at.list()).toEqual([]);
});

test('options say when, instead of the text', async () => {
  expect(await at.type('schedule the numbers days:friday at:16:30 zone:Asia/Tokyo')).toMatch(
    /the numbers.*Friday, 16:30 \(Asia\/Tokyo\)/u,
  );
});

test('a time at the beginning of the text counts with the option for the days', async () => {
  expect(await at.type('schedule at 16:30 the numbers days:friday')).toMatch(/the numbers.*Friday, 16:30/u);
  expect((await at.list()).map(({ content, recurrence }) => [content, recurrence])).toEqual([
    [
      { kind: 'prompt', prompt: 'the numbers' },
      { weekdays: ['friday'], minuteOfDay: 990, zone: 'UTC' },
    ],
  ]);
  expect(await at.type('schedule tell me the numbers at 10 days:friday')).toMatch(/do not understand when/u);
  expect(await at.type('schedule tell me the numbers at 10 days:friday at:9:00')).toMatch(
    /tell me the numbers at 10.*Friday, 09:00/u,
  );
});

test('long texts are shortened on cards at a whole character', async () => {
  await at.type(`schedule every weekday at 9, ${'x'.repeat(298)}👍👍`);
  expect(await at.type('schedule')).toContain(`"${'x'.repeat(298)}…"`);
  await at.type(`persona save name:calm text:${'x'.repeat(78)}👍👍`);
  expect(await at.type('persona list')).toContain(`${'x'.repeat(78)}…`);
  await at.type(`settings instructions ${'x'.repeat(148)}👍👍 for:workspace`, ADMIN);
  expect(await at.type('settings', ADMIN)).toContain(`“${'x'.repeat(148)}…”`);
});

test('in a time zone that this system does not know it does not run, and its author can see and delete it', async () => {
  await at.type(TEXT);
  const [schedule] = await at.list();
  if (!schedule) throw new Error('nothing is scheduled');
  await at.schedules.save({ ...schedule, recurrence: { ...schedule.recurrence, zone: 'Mars/Base' } });
  expect(await at.type('schedule')).toMatch(
    /what is new\?.*09:00 \(Mars\/Base\).*“Mars\/Base” is not a time zone/u,
  );
  expect(await at.press('run')).toContain('“Mars/Base” is not a time zone');
  expect(await at.press('pause')).toContain('Mars/Base');
  expect(await at.press('resume')).toContain('“Mars/Base” is not a time zone');
  expect(at.queue.sent).toEqual([]);
  await at.press('delete');
  expect(await at.list()).toEqual([]);
});

describe('once', () => {
  test('a run that is delivered twice is posted once, and is one question', async () => {
    await at.type(TEXT);
    at.time.advance(FRIDAY - at.time.now());
    at.queue.sent.splice(0);
    await at.sweep();
    at.queue.sent.push(...at.queue.sent);
    const questions = await at.drain();
    expect(questions).toHaveLength(1);
    expect(at.posts()).toHaveLength(1);
  });

  test('a command that is delivered again, after its first run was due, keeps that run', async () => {
    const type = () => at.type(TEXT, MEMBER, { id: 'same' });
    await type();
    at.time.advance(FRIDAY + 5_000 - at.time.now());
    expect(await type()).toContain('Fri');
    expect(await at.list()).toMatchObject([{ dueMs: FRIDAY }]);
    expect(await at.runAt(FRIDAY + 60_000)).toHaveLength(1);
  });

  test('a worker that dies between the message and the next run asks no second question', async () => {
    await at.type(TEXT);
    const { advance } = at.context.schedules;
    at.context.schedules.advance = () => Promise.reject(new Error('killed'));
    await expect(at.runAt(FRIDAY)).rejects.toThrow('killed');
    at.context.schedules.advance = advance;
    const [first] = at.questions();
    const [again] = await at.runAt(FRIDAY + 60_000);
    // The same turn: the queue, or the ended turn, drops it.
    expect(again?.message).toBe(first?.message);
    expect(at.posts()).toHaveLength(1);
    expect(await at.runAt(FRIDAY + 120_000)).toEqual([]);
  });

  test('a worker that dies between the claim and the message posts it later', async () => {
    await at.type(TEXT);
    at.stage.refuse.startThread = new Error('killed');
    await expect(at.runAt(FRIDAY)).rejects.toThrow('killed');
    delete at.stage.refuse.startThread;
    expect(await at.runAt(FRIDAY + 3_600_000)).toHaveLength(1);
  });

  test('missed runs are reported, and not made up for', async () => {
    await at.type(TEXT);
    expect(await at.runAt(MONDAY + 13 * 3_600_000)).toEqual([]);
    expect(at.posts()).toEqual([
      expect.stringMatching(/2 runs were missed, the first one of Fri,? 2 Jan, 09:00.*Next: Tue,? 6 Jan/u),
    ]);
    expect(await at.runAt(MONDAY + DAY_MS)).toHaveLength(1);
  });
});

test.each([
  'every day at 9 except Sunday, what is new?',
  'every day except Sunday, what is new? at:9',
  'every day at 9 and 17, what is new?',
])('nothing is scheduled where the times are not clear: %s', async (what) => {
  expect(await at.type(`schedule ${what}`)).toContain('I do not understand when that is');
  expect(await at.list()).toEqual([]);
});

test('a run that is an hour late is done, also if an earlier one was missed', async () => {
  await at.type('schedule every day at 9, what is new?');
  const SATURDAY = FRIDAY + DAY_MS;
  // An outage from Friday, 8:00, to Saturday, 10:00.
  expect(await at.runAt(SATURDAY + 3_600_000)).toEqual([]);
  expect(at.posts()).toEqual([
    expect.stringMatching(/A run of Fri,? 2 Jan, 09:00.*Next: Sat,? 3 Jan, 10:00/u),
  ]);
  expect(await at.runAt(SATURDAY + 3_660_000)).toHaveLength(1);
  expect(at.posts()).toHaveLength(2);
  expect(await at.list()).toMatchObject([{ dueMs: SATURDAY + DAY_MS }]);
});

const message = (id: string, ms: number, text: string) => ({
  id: messageId(id),
  at: ms,
  author: 'Ada',
  by: userId('U1'),
  text,
  link: `https://example.com/${id}`,
});

describe('a digest', () => {
  test('sums up the channel since yesterday, once, with links, and says whose it is', async () => {
    await at.type('schedule every weekday at 9 digest:yesterday');
    at.history.push(message('1', FRIDAY - 3 * DAY_MS, 'old'), message('2', FRIDAY - 3_600_000, 'new'));
    let requests = 0;
    const { chat } = at.context;
    Object.assign(chat, {
      stream: async function* () {
        requests += 1;
        yield { type: 'end', text: 'Ada wrote [1].', finish: 'stop', model: 'm' };
      },
    });
    const { advance } = at.context.schedules;
    at.context.schedules.advance = () => Promise.reject(new Error('killed'));
    await expect(at.runAt(FRIDAY)).rejects.toThrow('killed');
    at.context.schedules.advance = advance;
    await at.runAt(FRIDAY + 60_000);
    expect(at.posts()).toEqual([
      expect.stringMatching(
        /Summary of this channel since yesterday.*Ada wrote \(\[1\]\(https:\/\/example\.com\/2\)\).*Scheduled by <@U1>/u,
      ),
    ]);
    expect(requests).toBe(1);
  });

  test('without messages says so', async () => {
    await at.type('schedule every weekday at 9 digest:week');
    await at.runAt(FRIDAY);
    expect(at.posts()).toEqual([expect.stringContaining('the last 7 days')]);
  });
});
