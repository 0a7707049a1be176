import { expect, test } from '@jest/globals';
import type { FindBot } from '../../../../shared/platforms/slack/front.ts';
import { front, mention, ROOT, signed } from '../../../functions/slack.ts';

// T1 and T2 both have the app, and share a channel. Slack sends each event once, for T2.

const TS = '1700000000.000100';
const SHARED = {
  team_id: 'T1',
  context_team_id: 'T2',
  is_ext_shared_channel: true,
  authorizations: [
    { team_id: 'T2', user_id: 'U2BOT', is_bot: true, is_enterprise_install: false, enterprise_id: null },
  ],
};
const OF_T1 = { user: 'U1', user_team: 'T1', source_team: 'T1', team: 'T1', ts: TS };

function world(findBot?: FindBot) {
  const lookups: string[] = [];
  const find: FindBot = async (workspace) => {
    lookups.push(workspace);
    return new Map([
      ['T1', 'U1BOT'],
      ['T2', 'U2BOT'],
    ]).get(workspace);
  };
  const { handle, tasks, takePart, records } = front({ findBot: findBot ?? find });
  const send = async (event: object, outer: object = {}) =>
    (
      await handle(
        signed(mention({ type: 'message', channel_type: 'channel', ...event }, { ...SHARED, ...outer })),
      )
    ).statusCode;
  /** The workspaces of the tasks, with their texts. */
  const queued = () =>
    tasks().map(
      (task) => `${task?.kind} ${task?.thread.workspace} ${task && 'question' in task ? task.question : ''}`,
    );
  return { send, queued, takePart, records, lookups };
}

test('a question belongs to the installation whose bot it names, in both of its events', async () => {
  const { send, queued } = world();
  const event = { ...OF_T1, text: '<@U1BOT> what is our policy?' };
  await send({ ...event, type: 'app_mention', team: 'T2' }, { team_id: 'T2' });
  await send(event);
  expect(queued()).toEqual(['ask T1 what is our policy?', 'ask T1 what is our policy?']);
});

test.each(['<@U2BOT> why?', '<@U2BOT> and <@U1BOT>, why?'])(
  'a question to the bot that Slack says stays there: %s',
  async (text) => {
    const { send, queued, takePart, lookups } = world();
    await takePart(ROOT, 'T1');
    await send({ ...OF_T1, text, thread_ts: ROOT });
    await send({ ...OF_T1, text, thread_ts: ROOT, type: 'app_mention' });
    expect(queued()).toEqual([expect.stringContaining('ask T2'), expect.stringContaining('ask T2')]);
    expect(lookups).toEqual([]);
  },
);

test('a follow-up without a mention belongs to the installation that is in the thread', async () => {
  const [first, second, none] = [world(), world(), world()];
  const event = { ...OF_T1, text: 'and then?', thread_ts: ROOT };
  await first.takePart(ROOT, 'T1');
  await first.send(event);
  expect(first.queued()).toEqual(['ask T1 and then?']);
  await second.takePart(ROOT, 'T1');
  await second.takePart(ROOT, 'T2');
  await second.send(event);
  expect(second.queued()).toEqual(['ask T2 and then?']);
  await none.send(event);
  await none.send({ ...event, thread_ts: undefined });
  expect(none.queued()).toEqual([]);
});

test('an edit and a deletion reach the installation that has the question', async () => {
  const { send, queued } = world();
  const before = { ...OF_T1, type: 'message', text: '<@U1BOT> why?' };
  await send(before);
  const message = { ...before, text: '<@U1BOT> why not?', edited: { ts: '1700000005.000000' } };
  const change = { hidden: true, ts: '1700000005.000200' };
  await send({ ...change, subtype: 'message_changed', message, previous_message: before });
  await send({ ...change, subtype: 'message_deleted', deleted_ts: TS, previous_message: message });
  expect(queued().map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual([
    'ask T1',
    'redo T1',
    'redo T1',
  ]);
});

test('whoever has no other installation asks the one that Slack says', async () => {
  const { send, queued, lookups } = world();
  const text = '<@U1BOT> why?';
  const mentioned = { type: 'app_mention', text };
  // Of T2 itself, of a company without the app, and where the channel is not shared.
  await send({ ...OF_T1, user_team: 'T2', ...mentioned });
  expect(lookups).toEqual([]);
  await send({ ...OF_T1, user_team: 'T9', ...mentioned });
  expect(lookups).toEqual(['T9']);
  await send({ ...OF_T1, ...mentioned }, { is_ext_shared_channel: false });
  expect(lookups).toEqual(['T9']);
  // Slack says that a bot of the app is named, and the text names neither.
  await send({ ...OF_T1, ...mentioned, text: 'why?' });
  expect(queued().map((one) => one.split(' ', 2).join(' '))).toEqual([
    'ask T2',
    'ask T2',
    'ask T2',
    'ask T2',
  ]);
});

test('Slack sends the event again if the installation cannot be read, and nothing is recorded', async () => {
  const { send, queued, records } = world(async () => Promise.reject(new Error('throttled')));
  expect(await send({ ...OF_T1, text: '<@U1BOT> why?' })).toBe(503);
  expect([queued(), records()]).toEqual([[], []]);
});
