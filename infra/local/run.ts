import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { checkEnvironment, readEnvFile } from '../configuration/index.ts';
import { diskSpace, isDiskFull } from './emulator/disk-space.ts';
import { StartupError } from './startup-error.ts';
import { startLocal } from './system.ts';
import type { LocalSystem } from './system.ts';

const HELP = `Parley on this machine.

  npm start                          everything is simulated: no account, no network
  npm start -- --port 4000           port of the HTTP API (default: 3000, or the next free one)
  npm start -- --data DIR            folder for all data (default: .parley)
  npm start -- --host 0.0.0.0        other machines can reach the API and the simulated pages (default: 127.0.0.1)
  npm start -- --verbose             also print the logs of the functions (they are always in DIR/logs)

SLACK_ variables in .env connect it to real Slack, DISCORD_ variables to real Discord, UPSTREAM_ variables to a real
chat-completions server. Copy .env.example to .env; docs/configuration.md explains each variable. Errors in them are reported before the start.`;

/** The promise is 5 s from the signal to the end of the process. */
const STOP_LIMIT_MS = 4_800;
/** A disk that is full for a moment only is looked at again after this. */
const AFTER_FAILURE_MS = 1_000;
/** Ctrl+C comes twice, from the terminal and from npm, which passes on what it gets itself. */
const ECHO_MS = 500;

try {
  await main();
} catch (error) {
  console.error(error instanceof StartupError ? error.message : `Parley could not start. ${said(error)}`);
  process.exit(1);
}

async function main(): Promise<void> {
  const { port, data, host, help, verbose } = readArguments();
  if (help) {
    console.log(HELP);
    return;
  }
  const file = readEnvFile(existsSync('.env') ? readFileSync('.env', 'utf8') : '');
  const variables = { ...file.variables, ...process.env };
  const checks = [...file.checks, ...checkEnvironment(process.env)];
  // A library that forgets to catch must not end a system that people talk to; what it said is shown.
  process.on('unhandledRejection', (error) => console.error(`Unexpected: ${said(error)}`));
  const starting = startLocal({ data, port, host, variables, checks, say, ...(verbose && { echo: say }) });
  process.on('uncaughtException', (error) => {
    if (isDiskFull(error)) return void beginAnew(data, starting);
    console.error(error);
    process.exit(1);
  });
  const stopping = stopOnSignal(starting);
  const system = await starting.catch(async (error: unknown) => {
    if (!isDiskFull(error)) throw error;
    return await beginAnew(data, starting);
  });
  // Ctrl+C came meanwhile.
  if (stopping.aborted) return;
  say(welcome(system, data));
  await system.cloud.warm().catch((error: unknown) => {
    if (!stopping.aborted) throw error;
  });
}

let beginningAnew: Promise<never> | undefined;

/**
 * Something could not be written, and the tables may hold half of it in memory: everything is stopped, and begins anew from what is on the
 * disk once there is room. What was acknowledged is there. Whoever sends meanwhile gets no answer, and sends again.
 */
function beginAnew(data: string, starting: Promise<LocalSystem>): Promise<never> {
  beginningAnew ??= (async () => {
    console.error(
      `The disk is full: nothing can be written to ${resolve(data)}. Parley stops, and restarts when there is space.`,
    );
    const closing = starting.then((system) => system.close());
    await Promise.race([closing.catch(() => {}), wait(STOP_LIMIT_MS)]);
    await wait(AFTER_FAILURE_MS);
    await diskSpace(data, say).enough();
    // Windows cannot.
    if (process.execve === undefined || process.platform === 'win32') process.exit(1);
    process.execve(
      process.execPath,
      [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      process.env,
    );
    return process.exit(1);
  })();
  return beginningAnew;
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        data: { type: 'string', default: '.parley' },
        host: { type: 'string', default: '127.0.0.1' },
        verbose: { type: 'boolean', default: process.env['LOG'] === 'verbose' },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && !(/^\d+$/.test(values.port ?? '') && port <= 65_535)) {
      throw new Error(`--port takes a number from 0 to 65535, not ${values.port}`);
    }
    return { ...values, port };
  } catch (error) {
    throw new StartupError(`${said(error)}\n"npm start -- --help" lists the options.`);
  }
}

function say(line: string): void {
  console.log(line);
}

/** The first signal lets the system finish what runs; a second one ends it at once. Aborted by the first. */
function stopOnSignal(starting: Promise<LocalSystem>): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = async () => {
    if (stopping.signal.aborted) {
      if (performance.now() - firstAt > ECHO_MS) process.exit(130);
      return;
    }
    firstAt = performance.now();
    stopping.abort();
    setTimeout(() => process.exit(0), STOP_LIMIT_MS);
    console.log('Stopping: answers in progress may finish ...');
    // A start that failed has said so itself.
    await starting.then((system) => system.close()).catch(() => {});
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
  return stopping.signal;
}

function welcome({ local, config, reached, cloud }: LocalSystem, data: string): string {
  const slack = {
    simulated: `simulated: open ${local.page}, write to @parley`,
    socket: reached.slack
      ? 'real, over socket mode: mention the bot in a channel that it is a member of'
      : 'real, over socket mode: not connected yet, retrying',
    posted: `real: Slack must be able to post events and commands to ${local.api}/slack/events`,
  }[config.slack.kind];
  const discord =
    config.discord.kind === 'real'
      ? `real: Discord must be able to post interactions to ${local.api}/discord/interactions`
      : `simulated: open ${new URL(local.discord.apiUrl).origin}, type / or write to @parley`;
  const heard = reached.discord
    ? 'receives mentions and direct messages'
    : 'not connected to Discord yet, retrying';
  const relay = cloud.processes.length > 0 ? `on: ${heard}` : 'off: only commands and buttons work';
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
    `  Data      ${data} (addresses in local.json, logs of the functions in logs)`,
    'Stop it with Ctrl+C.',
  ].join('\n');
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
