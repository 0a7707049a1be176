import { DiscordAPIError, REST, Routes } from 'discord.js';
import { config } from 'dotenv';
import { createInterface } from 'node:readline/promises';
import * as z from 'zod/mini';
import { FILES } from '../../shared/commands/command-list.ts';
import { difference } from './difference.ts';
import { discordCommands } from './discord-commands.ts';

/** `npm run discord:register`: tells Discord the commands. Shows what would change, and asks; `-- --yes` does not ask. */

const API = 'https://discord.com/api';

export type Registering = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly yes: boolean;
  readonly say: (line: string) => void;
  /** Whether to go on. */
  readonly ask: (question: string) => Promise<boolean>;
};

const listed = z.array(z.record(z.string(), z.unknown()));

/** Resolves with the exit code. What Discord refuses is said. */
export async function register(how: Registering): Promise<number> {
  const { DISCORD_APPLICATION_ID: id, DISCORD_BOT_TOKEN: token, DISCORD_API_URL: url } = how.env;
  const { say } = how;
  if (!id || !token) {
    say('DISCORD_APPLICATION_ID and DISCORD_BOT_TOKEN are needed, in .env or in the environment:');
    say('discord.com/developers/applications > your app > General Information, and > Bot');
    return 1;
  }
  const rest = new REST({
    version: '10',
    api: (url || API).replace(/\/+$/, '').replace(/\/v\d+$/, ''),
    timeout: 15_000,
  });
  rest.setToken(token);
  try {
    return await change(rest, id, how);
  } catch (error) {
    say(`Not done. ${reasonOf(error)}`);
    return 1;
  }
}

async function change(rest: REST, id: string, { yes, say, ask }: Registering): Promise<number> {
  const route = Routes.applicationCommands(id);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const have = listed.parse(await rest.get(route, { query }));
  const { lines, changes, whole } = difference(have, discordCommands(FILES));
  for (const line of lines) say(line);
  if (!changes) {
    say('Discord knows these commands already.');
    return 0;
  }
  if (!yes && !(await ask('Change the commands on Discord like this? (y/N) '))) {
    say('Nothing was changed.');
    return 1;
  }
  const now = listed.parse(await rest.put(route, { body: whole }));
  say(`Discord knows ${now.length} commands now. People may have to reload it to see them.`);
  return 0;
}

/** What was wrong, and what can be done. Never shows what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof DiscordAPIError))
    return 'Discord could not be reached: look at the network and at DISCORD_API_URL, then try again.';
  if (error.status === 401) return 'Discord rejects the token: copy DISCORD_BOT_TOKEN again, under Bot.';
  if (error.status === 403 || error.status === 404)
    return 'The token is not that of DISCORD_APPLICATION_ID: copy both from the same app.';
  return `Discord says: ${error.message} (${error.code})`;
}

async function askTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    print('The terminal is not interactive. `npm run discord:register -- --yes` continues without asking.');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question).finally(() => terminal.close());
  return /^y(es)?$/i.test(answer.trim());
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main) {
  config({ quiet: true });
  const yes = process.argv.includes('--yes');
  process.exitCode = await register({ env: process.env, yes, say: print, ask: askTerminal });
}
