import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { register } from '../../../infra/cli/register.ts';
import { difference } from '../../../infra/cli/difference.ts';
import { discordCommands } from '../../../infra/cli/discord-commands.ts';
import { COMMANDS, MESSAGE_COMMANDS } from '../../../shared/flows/commands/specs.ts';
import { type DiscordSimulator, startDiscordSimulator } from '../../simulators/discord/index.ts';

let discord: DiscordSimulator;
beforeAll(async () => {
  discord = await startDiscordSimulator({
    shared: process.env['PARLEY_SHARED'],
    identity: { entryPoint: true },
  });
});
afterAll(() => discord.close());
beforeEach(() => discord.reset());

/** Registers, and gives what was said and asked. */
async function run(answer: boolean, yes = false) {
  const { applicationId, botToken, apiUrl } = discord;
  const said: string[] = [];
  const asked: string[] = [];
  const code = await register({
    env: { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl },
    yes,
    say: (line) => void said.push(line),
    ask: async (question) => {
      asked.push(question);
      return answer;
    },
  });
  return { code, said, asked };
}

test('shows what would change, and changes nothing without a yes', async () => {
  const { code, said } = await run(false);
  expect(code).toBe(1);
  expect(said).toEqual(expect.arrayContaining(['+ /ask', '+ /help', '+ Ask about this']));
  expect(said.at(-1)).toBe('Nothing was changed.');
  expect((await run(false)).said).toContain('+ /ask');
});

test('keeps the entry point of Activities, and finds nothing to do the second time', async () => {
  const { code, said } = await run(true);
  expect(code).toBe(0);
  expect(said).toEqual(expect.arrayContaining([expect.stringMatching(/^= .*entry point/)]));
  const again = await run(true);
  expect(again.asked).toEqual([]);
  expect(again.said.at(-1)).toBe('Discord knows these commands already.');
  expect(again.said).toEqual(expect.arrayContaining([expect.stringMatching(/^= .*entry point/)]));
});

test('asks nobody when told so; without a token it says what is missing', async () => {
  const { code, asked } = await run(false, true);
  expect([code, asked]).toEqual([0, []]);
  const said: string[] = [];
  const nothing = { env: {}, yes: true, say: (line: string) => void said.push(line), ask: async () => true };
  expect(await register(nothing)).toBe(1);
  expect(said[0]).toContain('DISCORD_BOT_TOKEN');
});

const yes = async () => true;

test.each([
  [{ DISCORD_BOT_TOKEN: 'wrong' }, /does not take the token/u],
  [{ DISCORD_API_URL: 'http://127.0.0.1:1' }, /could not be reached/u],
])('where Discord refuses %j it says what to do, and changes nothing', async (changes, words) => {
  const { applicationId: id, botToken, apiUrl } = discord;
  const env = {
    DISCORD_APPLICATION_ID: id,
    DISCORD_BOT_TOKEN: botToken,
    DISCORD_API_URL: apiUrl,
    ...changes,
  };
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  expect(await register({ env, yes: true, say, ask: yes })).toBe(1);
  expect(said.at(-1)).toMatch(words);
});

test('commands have names in eight languages, and are for guilds and for people', () => {
  const ask = discordCommands(COMMANDS, MESSAGE_COMMANDS).find(({ name }) => name === 'ask');
  expect(ask).toMatchObject({
    name_localizations: { de: 'fragen', 'es-ES': 'preguntar', 'zh-CN': '提问', ja: '質問' },
    integration_types: [0, 1],
    contexts: [0, 1, 2],
    options: expect.arrayContaining([
      expect.objectContaining({ name: 'question', required: true, max_length: 6_000 }),
      expect.objectContaining({ name: 'model', autocomplete: true }),
    ]),
  });
});

test('what is gone or different is told', () => {
  const [ask = {}] = discordCommands(COMMANDS, []);
  const have = [
    { ...ask, id: '1', description: 'Old', nsfw: false },
    { type: 1, name: 'old' },
  ];
  expect(difference(have, [ask]).lines).toEqual(['~ /ask (description)', '- /old']);
  expect(difference([{ ...ask, id: '1', options: ask['options'] }], [ask]).changes).toBe(false);
});
