import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PERMISSION } from '../simulators/discord/flags.ts';
import { ADA, type Channel, DEFAULT_IDENTITY, GENERAL, HANGOUT } from '../simulators/discord/index.ts';
import { type DiscordWorld, startDiscordWorld } from './discord-world.ts';
import { eventually } from './relay.ts';

const VOICES = '301000000000000002';
const { readHistory, sendMessages, sendInThreads, connect } = PERMISSION;
let world: DiscordWorld;

/** What the bot is denied, by channel. */
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
  world = await startDiscordWorld({ discord: { identity: { channels } } });
  await eventually(() => world.journey().system.discord.gateway?.connected === 1);
}, 240_000);
afterAll(() => world.close());

const direct = (words: RegExp) => world.once(ADA, words, world.discord().core.dm('ada'));

describe('a mention where the bot lacks', () => {
  test('Read Message History is answered below the question, and a reply to the answer goes on', async () => {
    const { core } = world.discord();
    core.say('ada', '@Parley My name is Ada. What is 6 * 7?', { channel: VOICES });
    const [first] = await world.answers(ADA, 1, VOICES);
    expect(first?.text).toMatch(/^> My name is Ada\. What is 6 \\\* 7\?\n[^]*42/u);
    core.say('ada', 'What is my name?', { channel: VOICES, replyTo: first?.id });
    const [, second] = await world.answers(ADA, 2, VOICES);
    expect(second?.text).toMatch(/^> What is my name\?\n[^]*Ada/u);
  });

  test('Send Messages is answered in a direct message, which says what is lacking', async () => {
    const asked = world.discord().core.say('ada', '@Parley What is 7 * 8?');
    const { text } = await direct(/\*\*56\*\*/u);
    expect(text).toContain(`I lack the permission “Send Messages”`);
    expect(text).toContain(asked);
    expect(world.seen(ADA, GENERAL)).toEqual([]);
  });

  test('Connect, in the chat of a voice channel, is answered in a direct message', async () => {
    world.discord().core.say('ada', '@Parley What is 8 * 9?', { channel: HANGOUT });
    expect((await direct(/\*\*72\*\*/u)).text).toContain('“Connect”');
  });
});

test('a command needs none of these while its token lasts', async () => {
  await world.discord().slash('ada', GENERAL, 'ask', { question: 'What is 5 * 5?' });
  expect((await world.once(ADA, /\*\*25\*\*/u, GENERAL)).text).toContain('25');
});
