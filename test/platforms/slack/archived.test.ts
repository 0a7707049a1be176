import { afterEach, expect, test } from '@jest/globals';
import { messageId } from '../../../shared/domain/index.ts';
import { ThreadDeletedError } from '../../../shared/platforms/ports/index.ts';
import { createSlackPlatform, createWebCall } from '../../../shared/platforms/slack/index.ts';
import { type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';
import { TestTime } from '../../upstream/time.ts';
import { turnAt } from './simulated-turn.ts';

let slack: SlackSimulator;
afterEach(() => slack.close());

async function open() {
  slack = await startSlackSimulator();
  const { apiUrl, botToken, botUserId } = slack;
  const logged: string[] = [];
  const platform = createSlackPlatform({
    call: createWebCall({ slackApiUrl: apiUrl, token: async () => botToken }),
    time: { now: Date.now, sleep: new TestTime().sleep },
    botUserId,
    log: (event: string) => void logged.push(event),
  });
  const turn = turnAt(slack, await slack.say('ada', '@parley why?'));
  return { platform, turn, logged };
}

const countWrites = () => slack.calls.filter(({ method }) => method.startsWith('chat.')).length;

test('a question in a channel that was archived meanwhile ends with one request, and its thread can still be read', async () => {
  const { platform, turn, logged } = await open();
  slack.core.archiveChannel(slack.channel);
  const reply = platform.reply(turn, []);
  reply.write('One. ');
  await expect(reply.publish('One.')).rejects.toBeInstanceOf(ThreadDeletedError);
  expect(countWrites()).toBe(1);
  expect(logged).toEqual(['slack.channel-gone']);
  expect(await platform.findOrphanedMessages(turn)).toEqual({ ofTurn: [], unattributed: [] });
  expect((await platform.readHistory(turn.thread, { maxMessages: 9 })).messages).toHaveLength(1);
  expect(await platform.findMessage(turn.thread, messageId(turn.message))).toMatchObject({
    id: turn.message,
  });
});

test('an answer that was already visible stays as it is', async () => {
  const { platform, turn } = await open();
  await platform.reply(turn, []).publish('One.');
  slack.core.archiveChannel(slack.channel);
  await expect(platform.reply(turn, []).publish('Two.')).rejects.toBeInstanceOf(ThreadDeletedError);
  const texts = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].map(({ text }) => text);
  expect(texts).toEqual([expect.stringContaining('why?'), 'One.']);
});
