import { beforeEach, describe, expect, test } from '@jest/globals';
import { CannotPostError, type ChannelAccess } from '../../shared/platforms/ports/index.ts';
import { ADMIN } from '../commands/settings-harness.ts';
import { DAY_MS, FRIDAY, MONDAY, scheduleHarness } from './schedule-harness.ts';

const TEXT = 'schedule every weekday at 9, what is new?';

let at: Awaited<ReturnType<typeof scheduleHarness>>;
let isAdmin: boolean;
let hasLeft: boolean;
let access: ChannelAccess | Error;
const memberRoles = () => Promise.resolve({ admin: isAdmin, roles: [], hasLeft });
const channelAccess = () => (access instanceof Error ? Promise.reject(access) : Promise.resolve(access));

beforeEach(async () => {
  access = 'allowed';
  isAdmin = false;
  hasLeft = false;
  at = await scheduleHarness({ memberRoles, channelAccess });
});

describe('at each run', () => {
  test('an author who may no longer ask ends it; the channel sees why', async () => {
    await at.type(TEXT);
    await at.type('settings denied U1 for:workspace', ADMIN);
    expect(await at.runAt(FRIDAY)).toEqual([]);
    expect(at.posts()).toEqual([expect.stringContaining('This schedule of <@U1> has ended')]);
    expect(await at.list()).toEqual([]);
  });

  test('an author who is no administrator any more ends it where only they may schedule', async () => {
    await at.type('settings schedules admins for:workspace', ADMIN);
    await at.type(TEXT, ADMIN);
    isAdmin = true;
    expect(await at.runAt(FRIDAY)).toHaveLength(1);
    isAdmin = false;
    expect(await at.runAt(MONDAY)).toEqual([]);
    expect(at.posts().at(-1)).toContain('only administrators may schedule');
  });

  test('schedules that are turned off pause it, and say so once', async () => {
    await at.type(TEXT);
    await at.type('settings schedules off for:workspace', ADMIN);
    await at.runAt(FRIDAY);
    await at.runAt(MONDAY);
    expect(at.posts()).toEqual([expect.stringContaining('is paused: schedules are turned off here')]);
    expect(await at.list()).toMatchObject([{ isPaused: true }]);
  });

  test('a channel that its author may no longer read is not told why it ends; its author is', async () => {
    await at.type(TEXT);
    await at.type('settings schedules off for:workspace', ADMIN);
    access = 'denied';
    await at.runAt(FRIDAY);
    expect(at.posts()).toEqual([]);
    expect(at.messages()).toEqual([expect.stringContaining('is paused: schedules are turned off here')]);
  });

  test('a silent channel sees nothing; its author does', async () => {
    await at.type(TEXT);
    await at.type('settings mentions off for:channel', ADMIN);
    await at.runAt(FRIDAY);
    expect(at.posts()).toEqual([]);
    expect(at.messages()).toHaveLength(1);
  });

  test('an author who has left pauses it: nothing is asked, and the channel is told once', async () => {
    await at.type(TEXT);
    hasLeft = true;
    expect(await at.runAt(FRIDAY)).toEqual([]);
    expect(await at.runAt(MONDAY)).toEqual([]);
    expect(at.posts()).toEqual([
      expect.stringMatching(
        /paused this schedule of <@U1> in <#C1>: they are no longer here.*`\/parley schedule`/u,
      ),
    ]);
    expect(at.messages()).toEqual([]);
    expect(await at.list()).toMatchObject([{ isPaused: true }]);
  });

  test.each([TEXT, 'schedule every weekday at 9 digest:week'])(
    'an author who may no longer read the channel pauses it, and only they are told, once: %s',
    async (text) => {
      await at.type(text);
      access = 'denied';
      expect(await at.runAt(FRIDAY)).toEqual([]);
      expect(await at.runAt(MONDAY)).toEqual([]);
      expect(at.posts()).toEqual([]);
      expect(at.messages()).toEqual([
        expect.stringMatching(/paused your schedule in <#C1>: you can no longer read.*`\/parley schedule`/u),
      ]);
      expect(await at.list()).toMatchObject([{ isPaused: true }]);
    },
  );

  test('it runs where the platform does not tell who may read the channel, and later if it fails for a time', async () => {
    await at.type(TEXT);
    access = new Error('503');
    await expect(at.runAt(FRIDAY)).rejects.toThrow('503');
    expect(at.posts()).toEqual([]);
    access = 'unknown';
    expect(await at.runAt(FRIDAY + 60_000)).toHaveLength(1);
    expect(at.messages()).toEqual([]);
  });

  test('administrators who get a weekly summary are told there that an author has left', async () => {
    await at.type(TEXT);
    const [prompt] = await at.list();
    if (!prompt) throw new Error('nothing is scheduled');
    const weekly = { id: 'weekly-U9', by: ADMIN.user, channel: undefined, dueMs: MONDAY + DAY_MS };
    await at.schedules.save({ ...prompt, ...weekly, content: { kind: 'weekly-summary' } });
    hasLeft = true;
    await at.runAt(FRIDAY);
    expect(at.posts()).toEqual([]);
    expect(at.messages()).toEqual([expect.stringContaining('paused this schedule of <@U1>')]);
  });

  test('a channel that is closed is reported to the author; the fourth time pauses it, and they learn how to go on', async () => {
    await at.type(TEXT);
    at.stage.refuse.startThread = new CannotPostError('is_archived', {
      cause: Object.assign(new Error('refused'), { code: 'is_archived' }),
    });
    for (let day = 0; day < 3; day += 1) await at.runAt(MONDAY + day * DAY_MS);
    expect(at.logged).toContainEqual(
      expect.stringMatching(/^schedule\.post-refused .*"channel":"C1".*"code":"is_archived"/u),
    );
    expect(at.messages()).toEqual([expect.stringMatching(/could not post .*in <#C1>.*`\/parley schedule`/u)]);
    for (let day = 3; day < 8; day += 1) await at.runAt(MONDAY + day * DAY_MS);
    expect(at.messages().slice(1)).toEqual([
      expect.stringMatching(/paused your schedule in <#C1>.*Resume.*`\/parley schedule`/u),
    ]);
    expect(await at.list()).toMatchObject([{ isPaused: true }]);
    delete at.stage.refuse.startThread;
    await at.press('resume');
    expect(await at.runAt(MONDAY + 8 * DAY_MS)).toHaveLength(1);
  });

  test('a schedule that was paused because of failures has its four attempts again when it is resumed', async () => {
    await at.type(TEXT);
    const refusal = new CannotPostError('archived');
    at.stage.refuse.startThread = refusal;
    for (let day = 0; day < 5; day += 1) await at.runAt(MONDAY + day * DAY_MS);
    expect(await at.list()).toMatchObject([{ isPaused: true }]);
    await at.press('resume');
    const before = at.messages().length;
    for (let day = 7; day < 10; day += 1) await at.runAt(MONDAY + day * DAY_MS);
    expect(await at.list()).toMatchObject([{ isPaused: false, failures: 3 }]);
    expect(at.messages().slice(before)).toEqual([expect.stringMatching(/could not post/u)]);
  });

  test('words that a filter blocks are not explained as a missing permission', async () => {
    await at.type(TEXT);
    at.stage.refuse.startThread = new CannotPostError('blocked', { why: 'words-blocked' });
    await at.runAt(MONDAY);
    expect(at.messages()).toEqual([
      expect.stringMatching(/could not post .*in <#C1>: it has a link, or words, that are blocked there/u),
    ]);
  });
});
