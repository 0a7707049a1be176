import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { checkEnvironment, readEnvFile } from '../configuration/index.ts';
import { readArguments } from './arguments.ts';
import { createDiskSpace, isDiskFull } from './emulator/disk-space.ts';
import { StartupError } from './startup-error.ts';
import { startLocal } from './system.ts';
import type { LocalSystem } from './system.ts';

const HELP = `Parley on this machine.

  npm start                          everything is simulated: no account, no network
  npm start -- --port 4000           port of the HTTP API (default: 3000, or the next free one)
  npm start -- --data DIR            folder for all data (default: .parley)
  npm start -- --host 0.0.0.0        other machines can reach the API and the simulated pages (default: 127.0.0.1)
  npm start -- --env FILE            the file with the settings (default: .env)
  npm start -- --verbose             also print the logs of the functions (they are always in DIR/logs)

SLACK_ variables in .env connect it to real Slack, DISCORD_ variables to real Discord, UPSTREAM_ variables to a real
chat-completions server. Copy .env.example to .env; docs/configuration.md explains each variable. Errors in them are reported before the start.`;

/** Documented limit: 5 s from the signal to the end of the process. */
const STOP_TIMEOUT_MS = 4_800;
/** Delay before the disk is checked again, in case it was full for a moment only. */
const RESTART_DELAY_MS = 1_000;
/** Ctrl+C arrives twice, from the terminal and from npm, which forwards it. */
const REPEATED_SIGNAL_MS = 500;

async function main(): Promise<void> {
  const { port, data, host, env, help, verbose } = readArguments(process.argv.slice(2), process.env);
  if (help) {
    console.log(HELP);
    return;
  }
  const file = readEnvFile(readSettings(env));
  const variables = { ...file.variables, ...process.env };
  const checks = [...file.checks, ...checkEnvironment(process.env)];
  // A missing catch in a library must not end the running system; the error is printed.
  process.on('unhandledRejection', (error) => console.error(`Unexpected: ${getMessage(error)}`));
  const starting = startLocal({ data, port, host, variables, checks, say, ...(verbose && { echo: say }) });
  process.on('uncaughtException', (error) => {
    if (isDiskFull(error)) return void restart(data, starting);
    console.error(error);
    process.exit(1);
  });
  const stopping = stopOnSignal(starting);
  const system = await starting.catch(async (error: unknown) => {
    if (!isDiskFull(error)) throw error;
    return await restart(data, starting);
  });
  // Ctrl+C arrived during the start.
  if (stopping.aborted) return;
  say(formatWelcome(system, data, host));
  await system.emulator.warm().catch((error: unknown) => {
    if (!stopping.aborted) throw error;
  });
}

let restarting: Promise<never> | undefined;

/**
 * Restarts after a write failed because the disk is full: the tables may be inconsistent in memory, so everything stops, and
 * starts again from the files when there is space. Acknowledged data is on disk. Senders get no response and retry.
 */
function restart(data: string, starting: Promise<LocalSystem>): Promise<never> {
  restarting ??= (async () => {
    console.error(
      `The disk is full: nothing can be written to ${resolve(data)}. Parley stops, and restarts when there is space.`,
    );
    const closing = starting.then((system) => system.close());
    await Promise.race([closing.catch(() => {}), wait(STOP_TIMEOUT_MS)]);
    await wait(RESTART_DELAY_MS);
    await createDiskSpace(data, say).waitForSpace();
    // Not supported on Windows.
    if (process.execve === undefined || process.platform === 'win32') process.exit(1);
    process.execve(
      process.execPath,
      [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      process.env,
    );
    return process.exit(1);
  })();
  return restarting;
}

/** Returns the text of the file with the settings. Throws StartupError if a file that was named cannot be read. */
function readSettings(env: string | undefined): string {
  if (env === undefined && !existsSync('.env')) return '';
  try {
    return readFileSync(env ?? '.env', 'utf8');
  } catch (error) {
    if (env === undefined) throw error;
    throw new StartupError(`The file with the settings cannot be read. ${getMessage(error)}`);
  }
}

function say(line: string): void {
  console.log(line);
}

/** The first signal lets running work finish; a second one ends the process at once. Aborted by the first. */
function stopOnSignal(starting: Promise<LocalSystem>): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = async () => {
    if (stopping.signal.aborted) {
      if (performance.now() - firstAt > REPEATED_SIGNAL_MS) process.exit(130);
      return;
    }
    firstAt = performance.now();
    stopping.abort();
    setTimeout(() => process.exit(0), STOP_TIMEOUT_MS);
    console.log('Stopping: answers in progress may finish ...');
    // A failed start was reported already.
    await starting.then((system) => system.close()).catch(() => {});
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
  return stopping.signal;
}

function formatWelcome(
  { local, config, reached, emulator: cloud }: LocalSystem,
  data: string,
  host: string,
): string {
  const slack = {
    simulated: `simulated: open ${local.page}, write to @parley`,
    socket: reached.slack
      ? 'real, over socket mode: mention the bot in a channel that it is a member of'
      : 'real, over socket mode: not connected yet, retrying',
    posted: `real: Slack must be able to post events and commands to ${local.api}/slack/events`,
  }[config.slack.kind];
  const discord =
    config.discord.kind === 'real'
      ? `real: commands and buttons need a tunnel from an https address to ${local.api} (docs/discord.md)`
      : `simulated: open ${new URL(local.discord.apiUrl).origin}, type / or write to @parley`;
  const discordEvents = reached.discord
    ? 'receives mentions and direct messages'
    : 'not connected to Discord yet, retrying';
  const relay = cloud.processes.length > 0 ? `on: ${discordEvents}` : 'off: only commands and buttons work';
  const upstream =
    config.upstream.kind === 'real'
      ? `real: ${config.upstream.model} at ${local.upstream.baseUrl}`
      : 'simulated';
  return [
    '',
    'Parley is running.',
    `  Slack     ${slack}`,
    `  Discord   ${discord}`,
    `  Relay     ${relay}`,
    `  Models    ${upstream}`,
    `  HTTP API  ${local.api}`,
    `  Dashboard ${local.api}/dashboard`,
    `  Data      ${data} (addresses in local.json, logs of the functions in logs)`,
    ...(host === '0.0.0.0' || host === '::'
      ? [
          'On other machines, write the IP address or the short name of this one in place of the loopback address.',
        ]
      : []),
    'Stop it with Ctrl+C.',
  ].join('\n');
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Last: main() also uses the variables of this module, which exist once their lines ran.
try {
  await main();
} catch (error) {
  console.error(
    error instanceof StartupError ? error.message : `Parley could not start. ${getMessage(error)}`,
  );
  process.exit(1);
}
