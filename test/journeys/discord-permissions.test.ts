import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PERMISSION } from '../simulators/discord/flags.ts';
import { ADA, type Channel, DEFAULT_IDENTITY, GENERAL, HANGOUT } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { eventually } from './relay-harness.ts';

const VOICES = '301000000000000002';
const { readHistory, sendMessages, sendInThreads, connect } = PERMISSION;
let harness: DiscordHarness;

/** The permissions that the bot lacks, by channel. */
const DENIED: Readonly<Record<string, bigint>> = {
  [GENERAL]: sendMessages | sendInThreads,
  [VOICES]: readHistory,
  [HANGOUT]: connect,
};

beforeAll(async () => {
  const channels = DEFAULT_IDENTITY.channels.map((channel): Channel => {
    const denied = DENIED[channel.id];
    return denied === undefined ? channel : { ...channel, denied: String(denied) };
  });
  harness = await startDiscordHarness({ discord: { identity: { channels } } });
  await eventually(() => harness.journey().system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

const direct = (words: RegExp) => harness.once(ADA, words, harness.discord().core.dm('ada'));

describe('a mention in a channel where the bot lacks', () => {
  test('Read Message History is answered below the question, and a reply to the answer continues the conversation', async () => {
    const { core } = harness.discord();
    core.say('ada', '@Parley My name is Ada. What is 6 * 7?', { channel: VOICES });
    const [first] = await harness.answers(ADA, 1, VOICES);
    expect(first?.text).toMatch(/^> My name is Ada\. What is 6 \\\* 7\?\n[^]*42/u);
    core.say('ada', 'What is my name?', { channel: VOICES, replyTo: first?.id });
    const [, second] = await harness.answers(ADA, 2, VOICES);
    expect(second?.text).toMatch(/^> What is my name\?\n[^]*Ada/u);
  });

  test('Send Messages is answered in a direct message that names the missing permission', async () => {
    const question = harness.discord().core.say('ada', '@Parley What is 7 * 8?');
    const { text } = await direct(/\*\*56\*\*/u);
    expect(text).toContain(`I lack the permission “Send Messages”`);
    expect(text).toContain(question);
    expect(harness.visibleMessages(ADA, GENERAL)).toEqual([]);
  });

  test('Connect, in the text chat of a voice channel, is answered in a direct message', async () => {
    harness.discord().core.say('ada', '@Parley What is 8 * 9?', { channel: HANGOUT });
    expect((await direct(/\*\*72\*\*/u)).text).toContain('“Connect”');
  });
});

test('a command needs none of these permissions while its interaction token is valid', async () => {
  await harness.discord().slash('ada', GENERAL, 'ask', { question: 'What is 5 * 5?' });
  expect((await harness.once(ADA, /\*\*25\*\*/u, GENERAL)).text).toContain('25');
});
