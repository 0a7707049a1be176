import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import type { Message } from '../simulators/slack/index.ts';
import { botMessages, dataFolder, type Journey, startJourney, happens } from './system.ts';

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  // An app that is not told of Slack's own Stop.
  const subscriptions = DEFAULT_IDENTITY.subscriptions.filter((name) => name !== 'agent_session_stopped');
  journey = await startJourney(folder.path, { slack: { identity: { subscriptions } } });
}, 60_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const LONG = '@parley Tell me everything. [[sim:tokens=4000]] [[sim:slow=20]]';
const shown = (message: Message): string => JSON.stringify([message.text, message.blocks]);

/** Resolves with the message in the thread that has a Stop under it. */
const withStop = (thread: string): Promise<Message> =>
  journey.slack.core.until(() =>
    botMessages(journey.slack, thread).find((message) => shown(message).includes('parley:stop')),
  );

/** Resolves once the model is left and the one message in the thread says what was spent. */
async function stopped(thread: string): Promise<void> {
  const { slack, upstream } = journey;
  await slack.core.until(() => {
    const messages = botMessages(slack, thread);
    const [first] = messages;
    return messages.length === 1 && first && /Stopped after (?:about )?\d/u.test(shown(first))
      ? true
      : undefined;
  });
  await happens(() => upstream.journal.at(-1)?.ended === 'gone');
}

test('a native stream that takes long has a Stop below it where Slack shows none, and both go by it', async () => {
  const { slack } = journey;
  const thread = await slack.say('ada', LONG);
  const stop = await withStop(thread);
  expect(botMessages(slack, thread)[0]?.stream?.open).toBe(true);
  expect(stop.ts).not.toBe(botMessages(slack, thread)[0]?.ts);
  await slack.press('grace', stop.ts, 'Stop');
  await stopped(thread);
}, 30_000);

test('an answer that is posted and edited has its Stop under it', async () => {
  const { slack } = journey;
  slack.faults.add({ kind: 'refuse', method: 'chat.startStream', error: 'channel_type_not_supported' });
  const thread = await slack.say('ada', LONG);
  const answer = await withStop(thread);
  await slack.press('ada', answer.ts, 'Stop');
  await stopped(thread);
  expect(shown(botMessages(slack, thread)[0] ?? answer)).not.toContain('parley:stop');
}, 30_000);

test('when the message that the thread hangs on is deleted, the model is left and nothing more is posted', async () => {
  const { slack, upstream } = journey;
  const chats = () => upstream.journal.filter(({ method }) => method === 'POST');
  const left = () => chats().filter(({ ended }) => ended === 'gone').length;
  const before = left();
  const thread = await slack.say('ada', LONG);
  await slack.core.until(() => (botMessages(slack, thread)[0]?.text ? true : undefined));
  await slack.say('ada', 'And then?', { thread });
  slack.core.remove(slack.users[0]?.id ?? '', slack.channel, thread);
  await slack.core.until(() => (botMessages(slack, thread).length === 0 ? true : undefined));
  await happens(() => left() > before);
  const requests = chats().length;
  const stays = await slack.say('ada', '@parley What is 1 + 2?');
  await slack.core.until(() => (/3/u.test(botMessages(slack, stays)[0]?.text ?? '') ? true : undefined));
  await slack.delivery.idle();
  expect(botMessages(slack, thread)).toEqual([]);
  const all = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
  expect(all.filter(({ user, thread: root }) => user === slack.botUserId && root === undefined)).toEqual([]);
  expect(chats()).toHaveLength(requests + 1);
}, 30_000);
