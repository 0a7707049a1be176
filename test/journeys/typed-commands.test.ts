import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { register } from '../../infra/cli/register.ts';
import { readId } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA, type DiscordSimulator, GRACE } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;
let discord: DiscordSimulator;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, {
    variables: { ACCOUNTS: 'on' },
    discord: { shared: process.env['PARLEY_SHARED'] },
  });
  if (!journey.system.discord.simulator) throw new Error('Discord is real');
  discord = journey.system.discord.simulator;
  const { applicationId, botToken, apiUrl } = discord;
  const env = { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl };
  await register({ env, skipConfirmation: true, print: () => undefined, confirm: async () => true });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The ephemeral messages for a person in Slack, oldest first. */
const noticesFor = (user: string): Message[] =>
  [...(journey.slack.core.state.messages.get(journey.slack.channel)?.values() ?? [])].filter(
    ({ ephemeralTo }) => ephemeralTo === user,
  );

/** The responses to Ada in Discord, as JSON; a deferred one has no text yet. */
const notices = () =>
  discord.core
    .messages(undefined, ADA)
    .filter((one) => readId(one, 'author', 'id') === discord.applicationId)
    .map((one) => JSON.stringify(one))
    .filter((one) => one.includes('"components":[{'));

/** Ada types a command in Slack. Resolves with the ephemeral response. */
async function typed(words: string): Promise<string> {
  const { slack } = journey;
  const ada = slack.users.find(({ name }) => name === 'ada')?.id ?? '';
  const before = noticesFor(ada).length;
  expect(await slack.command('ada', `/parley ${words}`)).toEqual({ acknowledged: true });
  return JSON.stringify(await slack.core.until(() => noticesFor(ada)[before]?.blocks));
}

/** Ada sends a command in Discord. Resolves with the ephemeral response. */
const runCommand = async (command: string, options: Record<string, string | boolean>): Promise<string> => {
  const before = notices().length;
  expect((await discord.slash('ada', undefined, command, options)).acknowledged).toBe(true);
  return discord.core.until(() => notices()[before]);
};

describe('a command that an administrator types in Slack', () => {
  test('accepts existing people, groups and channels, and rejects others with an explanation', async () => {
    const grace = journey.slack.users.find(({ name }) => name === 'grace')?.id ?? '';
    expect(await typed('quota block who:@nobodyatall')).toContain(
      'I cannot find “@nobodyatall” here. Name one person',
    );
    expect(await typed('quota')).not.toContain('May not ask');
    expect(await typed('quota block who:@grace')).toContain(`May not ask: <@${grace}>`);
    expect(await typed('quota unblock who:“Grace Hopper”')).not.toContain('May not ask');
    expect(await typed('usage who:@nobodyatall')).toContain('I cannot find “@nobodyatall” here');
    expect(await typed('settings channels #nowhere for:workspace')).toContain('Name channels');
    expect(await typed('settings channels #general for:workspace')).toContain(`<#${journey.slack.channel}>`);
    expect(await typed('settings channels reset for:workspace')).not.toContain(`<#${journey.slack.channel}>`);
  });

  test('locks and unlocks in any language, and the audit log describes the change in a sentence', async () => {
    const model = /\*Model \(model\)\*[^"]*🔒/u;
    expect(await typed('settings model lock:ja for:workspace')).toMatch(model);
    expect(await typed('settings model lock:no for:workspace')).not.toMatch(model);
    expect(await typed('settings model lock:“too dear” for:workspace')).toContain('🔒 too dear');
    expect(await typed('settings model lock:いいえ for:workspace')).not.toMatch(model);
    const { slack } = journey;
    const ada = slack.users.find(({ name }) => name === 'ada')?.id ?? '';
    const [card] = noticesFor(ada).slice(-1);
    if (!card) throw new Error('there is no card');
    await slack.press('ada', card.ts, 'Changes');
    const log = await slack.core.until(() => {
      const content = JSON.stringify(noticesFor(ada).at(-1)?.blocks);
      return content.includes('locked “Model”') ? content : undefined;
    });
    expect(log).toContain(`<@${ada}> unlocked “Model”.`);
    expect(log).toContain(`<@${ada}> locked “Model”: too dear`);
    expect(log).not.toContain('{\\"lock');
  });

  test('sets a persona for the channel, and reports text that belongs to no option', async () => {
    await typed('persona save pirate You are a pirate.');
    expect(await typed('persona use pirate for:channel')).toContain('pirate (this channel)');
    expect(await typed('persona list for:channel')).toContain('`for` needs `do:use`');
    expect(await typed('persona use pirate fro:channel')).toContain('Did you mean `for:`');
    expect(await typed('settings persona reset for:channel')).not.toContain('pirate (this channel)');
  });
});

test('Discord rejects the same values, and finds people, roles and channels by name', async () => {
  const workspace = { for: 'workspace' };
  expect(await runCommand('settings', { name: 'denied', value: '@nobodyatall', ...workspace })).toContain(
    'I cannot find',
  );
  expect(await runCommand('settings', { name: 'denied', value: 'grace', ...workspace })).toContain(
    `<@${GRACE}>`,
  );
  expect(await runCommand('settings', { name: 'denied', value: 'reset', ...workspace })).not.toContain(
    `<@${GRACE}>`,
  );
  expect(await runCommand('settings', { name: 'channels', value: '#nowhere', ...workspace })).toContain(
    'Name channels',
  );
  expect(await runCommand('quota', { do: 'block', who: GRACE })).toContain(`May not ask: <@${GRACE}>`);
  expect(await runCommand('quota', { do: 'show', who: GRACE })).toContain(' needs ');
  await runCommand('persona', { do: 'save', name: 'pirate', text: 'You are a pirate.' });
  expect(await runCommand('persona', { do: 'use', name: 'pirate', for: 'channel' })).toContain(
    'pirate (this channel)',
  );
});
