import { expect, test } from '@jest/globals';
import { createSlackPlatform } from '../../../../shared/platforms/slack/index.ts';
import { SlackApiError } from '../../../../shared/platforms/slack/api/call.ts';
import { nameMentions } from '../../../../shared/platforms/slack/lookup/mentions.ts';
import { fakeTime, turn } from '../fake-slack.ts';

const findName = async (id: string) => (id.endsWith('GRACE000') ? 'Grace Hopper' : `<@${id}>`);

test.each([
  ['thank @U0GRACE000, please', 'thank @Grace Hopper, please'],
  ['@W0GRACE000 of an organization', '@Grace Hopper of an organization'],
  [
    'typed in a command: <@U0GRACE000|g.hopper>, <@U0UNKNOWN|x>',
    'typed in a command: @Grace Hopper, <@U0UNKNOWN|x>',
  ],
  ['@U0UNKNOWN stays', '@U0UNKNOWN stays'],
  ['(another person, <@U0GRACE000>:) why?', '(another person, <@U0GRACE000>:) why?'],
  ['mail@U0GRACE000.example and @ada', 'mail@U0GRACE000.example and @ada'],
])('%s', async (text, named) => {
  expect(await nameMentions([text], findName)).toEqual([named]);
});

test('a text without ids needs no request, and each person is asked for once', async () => {
  const calls: unknown[] = [];
  const platform = createSlackPlatform({
    time: fakeTime(),
    call: async (_, args) => {
      calls.push(args['user']);
      return { ok: true, user: { profile: { display_name: 'Grace' } } };
    },
  });
  expect(platform.nameMentions(turn.thread, ['hello @ada', 'a@b.example'])).toBeUndefined();
  expect(
    await platform.nameMentions(turn.thread, ['@U0GRACE000 and @U0GRACE000', 'no', '@U0GRACE000']),
  ).toEqual(['@Grace and @Grace', 'no', '@Grace']);
  expect(calls).toEqual(['U0GRACE000']);
});

test('an answer does not wait for names that Slack does not tell', async () => {
  const time = fakeTime();
  const platform = createSlackPlatform({
    time,
    call: (_, { user }) =>
      user === 'U0ADA000'
        ? Promise.resolve({ ok: true, user: { name: 'ada' } })
        : new Promise(() => undefined),
  });
  const start = time.now();
  const named = platform.nameMentions(turn.thread, ['@U0GRACE000, @U0ADA000?']);
  expect(await time.until(named ?? Promise.reject())).toEqual(['@U0GRACE000, @ada?']);
  expect(time.now() - start).toBe(3_000);
});

test('of many people, ten are asked for at once, and none after the time is over', async () => {
  const time = fakeTime();
  const ids = Array.from({ length: 30 }, (_, n) => `@U0PERSON${n + 10}`);
  let running = 0;
  const load: number[] = [];
  const platform = createSlackPlatform({
    time,
    call: async () => {
      running += 1;
      load.push(running);
      await time.sleep(2_000);
      running -= 1;
      return { ok: true, user: { name: 'ada' } };
    },
  });
  const named = await time.until(platform.nameMentions(turn.thread, ids) ?? Promise.reject());
  expect(named.filter((text) => text === '@ada')).toHaveLength(10);
  expect(load).toHaveLength(20);
  expect(Math.max(...load)).toBe(10);
});

test.each(['user_not_found', 'user_not_visible'])(
  'that Slack does not know somebody is remembered for half an hour; other failures are not: %s',
  async (code) => {
    const time = fakeTime();
    const calls: unknown[] = [];
    const platform = createSlackPlatform({
      time,
      call: async (method, { user }) => {
        calls.push(user);
        throw new SlackApiError(method, user === 'WARNINGS' ? code : 'internal_error');
      },
    });
    const ask = async () =>
      time.until(platform.nameMentions(turn.thread, ['@WARNINGS @U0GRACE000']) ?? Promise.reject());
    expect(await ask()).toEqual(['@WARNINGS @U0GRACE000']);
    await ask();
    expect(calls).toEqual(['WARNINGS', 'U0GRACE000', 'U0GRACE000']);
    await time.until(time.sleep(30 * 60_000));
    await ask();
    expect(calls.slice(3)).toEqual(['WARNINGS', 'U0GRACE000']);
  },
);
