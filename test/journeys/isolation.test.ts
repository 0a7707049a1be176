import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { register } from '../../infra/cli/register.ts';
import { readId } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA, type DiscordSimulator, GRACE } from '../simulators/discord/index.ts';
import type { SlackWorkspace } from '../simulators/slack/user-interactions.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;
let discord: DiscordSimulator;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, {
    slack: { others: [{ channels: [] }] },
    discord: { shared: process.env['PARLEY_SHARED'] },
  });
  if (!journey.system.discord.simulator) throw new Error('Discord is real');
  discord = journey.system.discord.simulator;
  const { applicationId, botToken, apiUrl } = discord;
  const env = { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl };
  await register({ env, skipConfirmation: true, print: () => undefined, confirm: async () => true });
  await install(journey.slack.workspaces[1]?.teamId ?? '');
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** A browser installs the app in a workspace. */
async function install(team: string): Promise<void> {
  const began = await fetch(`${journey.system.local.api}/slack/install`, { redirect: 'manual' });
  const cookie = began.headers.get('set-cookie')?.split(';')[0] ?? '';
  const page = await (await fetch(`${began.headers.get('location')}&team=${team}`)).text();
  const allow = /href="([^"]+)"/u.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect((await fetch(allow, { headers: { cookie } })).status).toBe(200);
}

/** A place for commands, with the responses to its administrator. */
type Place = {
  readonly name: string;
  /** A person who is denied there. */
  readonly who: string;
  readonly give: (command: string, options?: Record<string, string>) => Promise<string>;
};

/** In Slack a command is text, and its response an ephemeral message. */
function inSlack(name: string, side: SlackWorkspace): Place {
  const ada = side.users[0]?.id;
  const notices = () =>
    [...(side.core.state.messages.get(side.channel)?.values() ?? [])].filter(
      ({ ephemeralTo }) => ephemeralTo === ada,
    );
  return {
    name,
    who: side.users.find((one) => one.name === 'grace')?.id ?? '',
    async give(command, options = {}) {
      const before = notices().length;
      const words = Object.entries(options).map(([key, value]) => `${key}:"${value.replaceAll('"', "'")}"`);
      await side.command(side.users[0]?.name ?? '', ['/parley', command, ...words].join(' '));
      return JSON.stringify(await side.core.until(() => notices()[before]));
    },
  };
}

const inGuild = (): Place => ({
  name: 'guild',
  who: GRACE,
  async give(command, options = {}) {
    const notices = () =>
      discord.core
        .messages(undefined, ADA)
        .filter((one) => readId(one, 'author', 'id') === discord.applicationId)
        // A deferred response has no text yet.
        .filter((one) => JSON.stringify(one).includes('"components":[{'));
    const before = notices().length;
    await discord.slash('ada', undefined, command, options);
    return JSON.stringify(await discord.core.until(() => notices()[before]));
  },
});

test('two workspaces and a guild never see settings, personas, modals or usage of each other', async () => {
  const [first, second] = journey.slack.workspaces;
  if (!first || !second) throw new Error('there are no two workspaces');
  const places = [inSlack('first', first), inSlack('second', second), inGuild()];
  for (const { name, who, give } of places) {
    await give('persona', { do: 'save', name: `of-${name}`, text: `Secret persona of ${name}.` });
    await give('settings', { name: 'language', value: 'de', for: 'workspace', lock: `reason of ${name}` });
    await give('settings', { name: 'denied', value: who, for: 'workspace' });
    await give('persona', { do: 'use', name: `of-${name}` });
  }
  // Only one of them has usage.
  await places[0]?.give('ask', { private: 'yes', question: 'What is a fjord?' });
  for (const { name, who, give } of places) {
    const texts = [
      await give('persona'),
      await give('schema'),
      await give('settings'),
      await give('settings', { for: 'workspace' }),
      await give('usage', { of: 'workspace' }),
    ].join('\n');
    expect(texts.includes('wurde nichts ausgegeben')).toBe(name !== 'first');
    expect(texts).toContain(`of-${name}`);
    expect(texts).toContain(`reason of ${name}`);
    expect(texts).toContain(who);
    for (const other of places.filter((one) => one.name !== name)) {
      expect(texts).not.toContain(`of-${other.name}`);
      expect(texts).not.toContain(`reason of ${other.name}`);
      expect(texts).not.toContain(other.who);
      const response = await give('persona', { do: 'show', name: `of-${other.name}` });
      // In the language of the workspace.
      expect(response).toContain(`Die Persona „of-${other.name}“ gibt es nicht`);
    }
  }
});
