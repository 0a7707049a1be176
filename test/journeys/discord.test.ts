import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { register } from '../../infra/cli/register.ts';
import { type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { idAt, listAt, textAt } from '../../shared/platforms/discord/json.ts';
import { ADA, type DiscordSimulator, GRACE, LOUNGE } from '../simulators/discord/index.ts';
import { dataFolder } from './system.ts';

const folder = dataFolder();
let system: LocalSystem;
let discord: DiscordSimulator;

beforeAll(async () => {
  system = await startLocal({
    data: folder.path,
    port: 0,
    upstream: { paceMs: 0 },
    discord: { shared: process.env['PARLEY_SHARED'] },
  });
  if (!system.discord.simulator) throw new Error('Discord is real');
  discord = system.discord.simulator;
  const { applicationId, botToken, apiUrl } = discord;
  const env = { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl };
  await register({ env, yes: true, say: () => undefined, ask: async () => true });
}, 240_000);
afterAll(async () => {
  await system.close();
  folder.remove();
});

/** The finished answers that a person sees in a channel, oldest first: those with buttons under them. */
function answers(as: string, channel?: string) {
  return discord.core
    .messages(channel, as)
    .filter((one) => idAt(one, 'author', 'id') === discord.applicationId)
    .filter((one) => JSON.stringify(listAt(one, 'components')).includes('press.regenerate'))
    .map((one) => ({ id: idAt(one, 'id') ?? '', text: textAt(one, 'content') ?? '', one }));
}

const until = (as: string, count: number, channel?: string) =>
  discord.core.until(() => {
    const found = answers(as, channel);
    return found.length >= count ? found : undefined;
  });

const button = (one: unknown, word: string): string =>
  listAt(one, 'components')
    .flatMap((row) => listAt(row, 'components'))
    .map((each) => textAt(each, 'custom_id') ?? '')
    .find((id) => id.includes(word)) ?? '';

describe('Discord answered end to end', () => {
  test('/ask is deferred, answered in its place, and remembered by the next', async () => {
    const asked = await discord.slash('ada', undefined, 'ask', {
      question: 'My name is Ada. What is 6 * 7?',
    });
    expect(asked.acknowledged).toBe(true);
    expect((await until(ADA, 1)).at(-1)?.text).toContain('42');
    await discord.slash('ada', undefined, 'ask', { question: 'What is my name?' });
    expect((await until(ADA, 2)).at(-1)?.text).toContain('Ada');
  });

  test('a private question is seen by nobody else, and in nobody else’s prompt', async () => {
    await discord.slash('grace', undefined, 'ask', {
      question: 'My name is Grace. What is 1 + 1?',
      private: true,
    });
    const before = answers(ADA).length;
    const mine = await until(GRACE, before + 1);
    expect(mine.at(-1)?.text).toContain('2');
    expect(answers(ADA)).toHaveLength(before);
    await discord.slash('ada', undefined, 'ask', { question: 'What is my name?' });
    expect((await until(ADA, before + 1)).at(-1)?.text).not.toContain('Grace');
  });

  test('Regenerate makes the answer anew in its place, for who asked; others are told in private', async () => {
    const last = answers(ADA).at(-1);
    const id = last?.id ?? '';
    expect((await discord.press('grace', id, button(last?.one, 'press.regenerate'))).acknowledged).toBe(true);
    const aside = await discord.core.until(() =>
      discord.core
        .messages(undefined, GRACE)
        .find((one) => textAt(one, 'content')?.startsWith('Only the person who asked')),
    );
    expect(idAt(aside, 'id')).toBeDefined();
    expect((await discord.press('ada', id, button(last?.one, 'press.good'))).acknowledged).toBe(true);
  });

  test('where the bot is not, an app of one’s own answers by its ticket', async () => {
    await discord.slash('ada', LOUNGE, 'ask', { question: 'What is 20 + 3?' });
    expect((await until(ADA, 1, LOUNGE)).at(-1)?.text).toContain('23');
  });

  test('what the endpoint has to refuse it refuses, as Discord tries before it takes an address', async () => {
    const response = await fetch(`${system.local.api}/discord/interactions`, {
      method: 'POST',
      body: '{"type":1}',
    });
    expect(response.status).toBe(401);
  });
});
