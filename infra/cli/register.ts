import { DiscordAPIError, REST, Routes } from 'discord.js';
import { config } from 'dotenv';
import { createInterface } from 'node:readline/promises';
import * as v from 'valibot';
import { FILES } from '../../shared/commands/index.ts';
import { compareCommands } from './compare-commands.ts';
import { buildDiscordCommands } from './discord-commands.ts';

/** `npm run discord:register`: registers the commands. Shows the changes and asks for confirmation, except with `-- --yes`. */

const API = 'https://discord.com/api';

export type RegisterOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly skipConfirmation: boolean;
  readonly print: (line: string) => void;
  /** Asks for confirmation. */
  readonly confirm: (question: string) => Promise<boolean>;
};

const commandListSchema = v.array(v.record(v.string(), v.unknown()));

/** Registers the commands. Resolves with the exit code; reports errors of Discord. */
export async function register(options: RegisterOptions): Promise<number> {
  const { DISCORD_APPLICATION_ID: id, DISCORD_BOT_TOKEN: token, DISCORD_API_URL: url } = options.env;
  const { print: say } = options;
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
    return await updateCommands(rest, id, options);
  } catch (error) {
    say(`Not done. ${explainError(error)}`);
    return 1;
  }
}

async function updateCommands(
  rest: REST,
  id: string,
  { skipConfirmation: yes, print: say, confirm: ask }: RegisterOptions,
): Promise<number> {
  const route = Routes.applicationCommands(id);
  const query = new URLSearchParams({ with_localizations: 'true' });
  const registered = v.parse(commandListSchema, await rest.get(route, { query }));
  const {
    lines,
    hasChanges: changes,
    commands: whole,
  } = compareCommands(registered, buildDiscordCommands(FILES));
  for (const line of lines) say(line);
  if (!changes) {
    say('Discord knows these commands already.');
    return 0;
  }
  if (!yes && !(await ask('Change the commands on Discord like this? (y/N) '))) {
    say('Nothing was changed.');
    return 1;
  }
  const updated = v.parse(commandListSchema, await rest.put(route, { body: whole }));
  say(`Discord knows ${updated.length} commands now. People may have to reload it to see them.`);
  return 0;
}

/** Explains an error and what to do. Never shows what was sent. */
function explainError(error: unknown): string {
  if (!(error instanceof DiscordAPIError))
    return 'Discord could not be reached: look at the network and at DISCORD_API_URL, then try again.';
  if (error.status === 401) return 'Discord rejects the token: copy DISCORD_BOT_TOKEN again, under Bot.';
  if (error.status === 403 || error.status === 404)
    return 'The token does not belong to DISCORD_APPLICATION_ID: copy both from the same app.';
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
  process.exitCode = await register({ env: process.env, skipConfirmation: yes, print, confirm: askTerminal });
}
