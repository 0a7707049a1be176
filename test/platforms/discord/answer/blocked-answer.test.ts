import { afterEach, expect, test } from '@jest/globals';
import { GENERAL } from '../../../simulators/discord/index.ts';
import { closeAll, discordWithDeniedPermissions } from '../denied-permissions.ts';

afterEach(closeAll);

const POST = 'POST /channels/{channel_id}/messages';
const EDIT = 'PATCH /channels/{channel_id}/messages/{message_id}';
const NOTICE = expect.stringMatching(/^_Discord does not accept my answer: .*_$/u);
const BAD = 'https://bad.example';

test.each([
  ['the filter for harmful links', 240_000],
  ['the automatic moderation of the guild', 200_000],
])('an answer that %s blocks is replaced by a notice, without the question above it', async (_, code) => {
  const { ask, reply, texts, faults, calls } = await discordWithDeniedPermissions(['ReadMessageHistory']);
  faults.add({ kind: 'refuse', code, route: POST });
  await reply(ask(`is ${BAD} safe?`), `is ${BAD} safe?`).publish(`No: ${BAD} is harmful.`);
  expect(texts(GENERAL)).toEqual([NOTICE]);
  expect(calls.filter(({ route }) => route === POST)).toHaveLength(2);
});

test('words that were shown before the blocked ones leave with them, and so do further messages', async () => {
  const { ask, reply, texts, faults } = await discordWithDeniedPermissions([]);
  const turn = ask('tell');
  const long = Array.from({ length: 100 }, (_, i) => `Line ${i} of what is to be said.`).join('\n');
  const first = reply(turn);
  const posted = await first.publish(long);
  expect(posted).toHaveLength(2);
  faults.add({ kind: 'refuse', code: 240_000, route: EDIT });
  const [only, ...others] = await first.publish(`${long} ${BAD}`);
  expect([only, others]).toEqual([posted[0], []]);
  expect(texts(turn.message)).toEqual([NOTICE]);
});

test('a blocked word while the answer is written: the notice is shown, and the buttons of the answer follow', async () => {
  const { ask, reply, texts, lastMessage, faults } = await discordWithDeniedPermissions([]);
  const turn = ask('tell');
  faults.add({ kind: 'refuse', code: 240_000, route: POST });
  const writing = reply(turn);
  writing.write(`See ${BAD} and `);
  await writing.posted();
  expect(texts(turn.message)).toEqual([NOTICE]);
  const label = 'Regenerate';
  const buttons = [{ label, action: { kind: 'regenerate' as const } }];
  await writing.publish(`See ${BAD} and more.`, { buttons, steps: [] });
  expect(texts(turn.message)).toEqual([NOTICE]);
  expect(JSON.stringify(lastMessage(turn.message)[0])).toContain(label);
});

test('a notice that is blocked too ends the attempt', async () => {
  const { ask, reply, texts, faults } = await discordWithDeniedPermissions([]);
  const turn = ask('tell');
  faults.add({ kind: 'refuse', code: 240_000, route: POST, times: 9 });
  await expect(reply(turn).publish('Because.')).rejects.toThrow('refused');
  expect(texts(turn.message)).toEqual([]);
});
