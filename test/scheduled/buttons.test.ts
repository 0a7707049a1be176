import { beforeEach, describe, expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { ADMIN, MEMBER } from '../commands/settings-harness.ts';
import { DAY_MS, FRIDAY, MONDAY, scheduleHarness } from './schedule-harness.ts';

const TEXT = 'schedule every weekday at 9, what is new?';
const OTHER = { ...MEMBER, user: userId('U2') };

let at: Awaited<ReturnType<typeof scheduleHarness>>;

beforeEach(async () => {
  at = await scheduleHarness();
});

describe('the buttons', () => {
  test.each([
    ['pause', 'is paused', { isPaused: true, dueMs: MONDAY }],
    ['resume', 'Next: Mon', { isPaused: false, dueMs: MONDAY }],
    ['run', 'It runs now', { dueMs: FRIDAY + 1_000 }],
  ])('“%s” is done also if a run ends at this moment', async (operation, says, after) => {
    await at.type(TEXT);
    at.time.advance(FRIDAY + 1_000 - at.time.now());
    at.context.schedules.find = async (place, id) => {
      const schedule = await at.schedules.find(place, id);
      if (schedule?.dueMs === FRIDAY) await at.schedules.advance(schedule, { dueMs: MONDAY, failures: 0 });
      return schedule;
    };
    expect(await at.press(operation)).toContain(says);
    expect(await at.list()).toMatchObject([after]);
  });

  test('“Run now” does not resume a schedule that is paused at this moment', async () => {
    await at.type(TEXT);
    at.context.schedules.find = async (place, id) => {
      const schedule = await at.schedules.find(place, id);
      if (schedule && !schedule.isPaused)
        await at.schedules.reschedule(schedule, { dueMs: MONDAY, isPaused: true });
      return schedule;
    };
    expect(await at.press('run')).not.toContain('It runs now');
    expect(await at.list()).toMatchObject([{ isPaused: true, dueMs: MONDAY }]);
  });

  test.each(['pause', 'resume', 'run'])(
    '“%s” of a schedule that is deleted at this moment does not say that it was done',
    async (operation) => {
      await at.type(TEXT);
      at.context.schedules.find = async (place, id) => {
        const schedule = await at.schedules.find(place, id);
        await at.schedules.remove(place, id);
        return schedule;
      };
      expect(await at.press(operation)).not.toMatch(/is paused|Next|It runs now/u);
      expect(await at.list()).toEqual([]);
    },
  );

  test('a schedule that is paused while its run waits in the queue does not run, until it is resumed', async () => {
    await at.type(TEXT);
    at.time.advance(FRIDAY - at.time.now());
    await at.sweep();
    expect(await at.press('pause')).toMatch(/is paused.*"Paused".*"Resume"/u);
    expect(await at.drain()).toEqual([]);
    expect(await at.runAt(FRIDAY + 60_000)).toEqual([]);
    at.time.advance(MONDAY + 3_600_000 - at.time.now());
    expect(await at.press('resume')).toMatch(/Next: Tue,? 6 Jan, 09:00 UTC/u);
    expect(await at.runAt(MONDAY + DAY_MS)).toHaveLength(1);
    expect(at.posts()).toHaveLength(1);
  });

  test('"Run now" runs it once, and keeps the next run', async () => {
    await at.type(TEXT);
    at.queue.sent.splice(0);
    expect(await at.press('run')).toContain('It runs now');
    expect(await at.drain()).toHaveLength(1);
    expect((await at.list())[0]?.dueMs).toBe(FRIDAY);
  });

  test('a deleted schedule is gone; a second click says so too', async () => {
    await at.type(TEXT);
    const [{ id } = { id: '' }] = await at.list();
    expect(await at.press('delete')).toContain('is deleted');
    expect(await at.press('delete', MEMBER, id)).toContain('is deleted');
    expect(await at.press('pause', MEMBER, id)).not.toContain('is paused');
    expect(await at.runAt(FRIDAY)).toEqual([]);
  });

  test('belong to the author, and to administrators in its channel; changes are logged without the prompt', async () => {
    await at.type(TEXT);
    expect(await at.press('delete', OTHER)).not.toContain('is deleted');
    expect(await at.type('schedule', OTHER)).toContain('Nothing is scheduled');
    expect(await at.type('schedule', ADMIN)).toContain('what is new?');
    expect(await at.press('delete', ADMIN)).toContain('is deleted');
    const changes = at.logged.filter((line) => line.startsWith('schedule.changed'));
    expect(changes).toHaveLength(2);
    expect(changes[1]).toMatch(/"outcome":"deleted","user":"U9","scope":"of another"/u);
    expect(changes.join()).not.toContain('new?');
  });
});
