import { expect, test } from '@jest/globals';
import { createSlackPlatform } from '../../../../shared/platforms/slack/index.ts';
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
