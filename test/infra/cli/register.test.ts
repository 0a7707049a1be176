import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { register } from '../../../infra/cli/register.ts';
import { compareCommands } from '../../../infra/cli/compare-commands.ts';
import { buildDiscordCommands } from '../../../infra/cli/discord-commands.ts';
import { FILES } from '../../../shared/commands/command-list.ts';
import {
  DEFAULT_IDENTITY,
  type DiscordSimulator,
  startDiscordSimulator,
} from '../../simulators/discord/index.ts';

const GUILD = DEFAULT_IDENTITY.guilds[0]?.id ?? '';
const AGENT = 'DiscordBot (http://localhost, 1.0)';
let discord: DiscordSimulator;
beforeAll(async () => {
  discord = await startDiscordSimulator({
    shared: process.env['PARLEY_SHARED'],
    identity: { entryPoint: true },
  });
});
afterAll(() => discord.close());
beforeEach(() => discord.reset());

/** Runs the command, and returns its output and its requests. */
async function run(answer: boolean, yes = false) {
  const { applicationId, botToken, apiUrl } = discord;
  const lines: string[] = [];
  const requests: string[] = [];
  const code = await register({
    env: { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl },
    skipConfirmation: yes,
    print: (line) => void lines.push(line),
    confirm: async (question) => {
      requests.push(question);
      return answer;
    },
  });
  return { code, lines, requests };
}

test('the command shows the changes, and changes nothing without a yes', async () => {
  const { code, lines } = await run(false);
  expect(code).toBe(1);
  expect(lines).toEqual(expect.arrayContaining(['+ /ask', '+ /help', '+ Ask about this']));
  expect(lines.at(-1)).toBe('Nothing was changed.');
  expect((await run(false)).lines).toContain('+ /ask');
});

test('the command keeps the entry point of Activities, and finds no change the second time', async () => {
  const { code, lines } = await run(true);
  expect(code).toBe(0);
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^= .*entry point/)]));
  const again = await run(true);
  expect(again.requests).toEqual([]);
  expect(again.lines.at(-1)).toBe('Discord knows these commands already.');
  expect(again.lines).toEqual(expect.arrayContaining([expect.stringMatching(/^= .*entry point/)]));
});

test('the command asks nothing with --yes, and names a missing token', async () => {
  const { code, requests } = await run(false, true);
  expect([code, requests]).toEqual([0, []]);
  const lines: string[] = [];
  const nothing = {
    env: {},
    skipConfirmation: true,
    print: (line: string) => void lines.push(line),
    confirm: async () => true,
  };
  expect(await register(nothing)).toBe(1);
  expect(lines[0]).toContain('DISCORD_BOT_TOKEN');
});

const yes = async () => true;

test.each([
  [{ DISCORD_BOT_TOKEN: 'wrong' }, /rejects the token/u],
  [{ DISCORD_API_URL: 'http://127.0.0.1:1' }, /could not be reached/u],
])("the command explains Discord's refusal %j, and changes nothing", async (changes, words) => {
  const { applicationId: id, botToken, apiUrl } = discord;
  const env = {
    DISCORD_APPLICATION_ID: id,
    DISCORD_BOT_TOKEN: botToken,
    DISCORD_API_URL: apiUrl,
    ...changes,
  };
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  expect(await register({ env, skipConfirmation: true, print: say, confirm: yes })).toBe(1);
  expect(lines.at(-1)).toMatch(words);
});

const SHOWN = ['de', 'es-419', 'es-ES', 'fr', 'ja', 'ko', 'pt-BR', 'zh-CN', 'zh-TW'];
const commandSchema = v.object({
  name: v.string(),
  name_localizations: v.record(v.string(), v.string()),
  description_localizations: v.optional(v.record(v.string(), v.string())),
});
const command = v.object({
  ...commandSchema.entries,
  options: v.optional(
    v.array(v.object({ ...commandSchema.entries, choices: v.optional(v.array(commandSchema)) })),
  ),
});

test('the guide for Discord says how many commands there are', async () => {
  const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'discord-community.md');
  expect(await readFile(path, 'utf8')).toContain(
    `Discord knows ${buildDiscordCommands(FILES).length} commands now.`,
  );
});

test('every command, option and choice is named in eight languages, and its English text is the default', () => {
  const commands = v.parse(v.array(command), buildDiscordCommands(FILES));
  const options = commands.flatMap((one) => one.options ?? []);
  expect(options.length).toBeGreaterThan(30);
  for (const one of [...commands, ...options, ...options.flatMap(({ choices }) => choices ?? [])])
    expect([one.name, Object.keys(one.name_localizations).toSorted()]).toEqual([one.name, SHOWN]);
  for (const one of options)
    expect(Object.keys(one.description_localizations ?? {}).toSorted()).toEqual(SHOWN);
  const english = FILES.flatMap(({ spec, messageCommand, texts }) => [
    [texts['name']?.en, spec?.name],
    [texts['personMenu']?.en, spec?.personMenu?.label],
    [texts['messageCommand']?.en, messageCommand?.label],
    ...(spec?.options ?? []).map(({ name }) => [texts[`${name}.name`]?.en, name]),
  ]);
  for (const [text, expected] of english) expect(text).toBe(expected);
});

test('commands are for guilds and for people', () => {
  expect(buildDiscordCommands(FILES).find(({ name }) => name === 'ask')).toMatchObject({
    name_localizations: { de: 'fragen', 'es-ES': 'preguntar', 'zh-CN': '提问', ja: '質問' },
    integration_types: [0, 1],
    contexts: [0, 1, 2],
    options: expect.arrayContaining([
      expect.objectContaining({ name: 'question', required: true, max_length: 6_000 }),
      expect.objectContaining({ name: 'model', autocomplete: true }),
    ]),
  });
});

test('a name that changes in one language is a change; a name that two commands share is an error', async () => {
  const [help, ask] = ['help', 'ask'].map((name) => FILES.filter(({ spec }) => spec?.name === name));
  const before = buildDiscordCommands(help ?? []);
  const renamed = before.map((one) => ({ ...one, name_localizations: { de: 'fragen' } }));
  expect(compareCommands(before, renamed).lines).toEqual(['~ /help (name_localizations)']);
  const { applicationId, botToken, apiUrl } = discord;
  const put = (body: unknown) =>
    fetch(`${apiUrl}/applications/${applicationId}/guilds/${GUILD}/commands`, {
      method: 'PUT',
      body: JSON.stringify(body),
      headers: { authorization: `Bot ${botToken}`, 'content-type': 'application/json', 'user-agent': AGENT },
    });
  expect((await put([...buildDiscordCommands(ask ?? []), ...renamed])).status).toBe(400);
  expect((await put(buildDiscordCommands(FILES))).status).toBe(200);
});

test('removed and changed commands are listed', () => {
  const ask = buildDiscordCommands(FILES).find(({ name }) => name === 'ask') ?? {};
  const have = [
    { ...ask, id: '1', description: 'Old', nsfw: false },
    { type: 1, name: 'old' },
  ];
  expect(compareCommands(have, [ask]).lines).toEqual(['~ /ask (description)', '- /old']);
  expect(compareCommands([{ ...ask, id: '1', options: ask['options'] }], [ask]).hasChanges).toBe(false);
});
