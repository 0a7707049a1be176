import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { ROUTES, TASKS } from '../../../shared/runtime/shared-names.ts';
import type { TemplateBuild } from '../../../infra/local/emulator.ts';
import { dataFolder, startJourneyHarness } from '../../journeys/harness.ts';
import { type SlackSimulator, startSlackSimulator } from '../../simulators/slack/index.ts';
import {
  startUpstreamSimulator,
  type UpstreamSimulator,
  type UpstreamSimulatorOptions,
} from '../../simulators/upstream/index.ts';
import { inOwnProcess } from '../measured-process.ts';
import { bundlePeer } from './install.ts';

/** A bot that is measured, with the Slack and the models that it is connected to. */
export type Subject = {
  readonly name: string;
  readonly slack: SlackSimulator;
  readonly upstream: UpstreamSimulator;
  /** Where Slack posts its events. */
  readonly eventsUrl: string;
  /** The process that answers. */
  pid(): string;
  /** Ends that process as a crash does, and starts it again as its supervisor would. */
  crash(): Promise<void>;
  close(): Promise<void>;
};

/** The people of each simulated workspace. */
export const PEOPLE = Array.from({ length: 1_000 }, (_, n) => ({
  id: `U0PERSON${String(n).padStart(2, '0')}`,
  name: `person${n}`,
  realName: `Person ${n}`,
}));
/** A simulated model without reasoning. */
export const MODEL = 'vendor-edge-2603';
export const UPSTREAM = { paceMs: 0 } as const;
export const STARTED_MS = 4_000;

/** Starts a bot of `bots` on simulators of its own. */
export async function startPeer(
  name: string,
  bot: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
  limits?: UpstreamSimulatorOptions['limits'],
): Promise<Subject> {
  const file = await bundlePeer(bot, folder, 'esm');
  const slack = await startSlackSimulator({ identity: { users: PEOPLE } });
  const upstream = await startUpstreamSimulator({ ...UPSTREAM, limits });
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    UPSTREAM_URL: upstream.baseUrl,
    UPSTREAM_KEY: upstream.apiKey,
    MODEL,
    PORT: String(port),
    ...variables,
  };
  let child = await startBot(file, env);
  const eventsUrl = `http://127.0.0.1:${port}/slack/events`;
  slack.setDeliverTo(eventsUrl);
  return {
    name,
    eventsUrl,
    slack,
    upstream,
    pid: () => String(child.pid),
    async crash() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      child = await startBot(file, env);
    },
    async close() {
      child.kill('SIGKILL');
      await slack.close();
      await upstream.close();
    },
  };
}

/** Resolves when the bot listens. */
export async function startBot(file: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    // Read to the end: a bot that writes to a closed pipe ends.
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('listening')) resolve();
    });
    child.once('exit', () => reject(new Error(`${file} ended`)));
  });
  return child;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('There is no free port');
  return address.port;
}

/** The deployment, and the memory of its worker in MB. */
type ApartWorker = { readonly deployment?: TemplateBuild; readonly memoryMb: number };

/**
 * Starts the whole local system, with the deployed worker, or `apartWorker`, in a process of its own: tables, queues and fronts run in
 * the process of the bench. False: the worker runs there, too.
 */
export async function startParley(
  apartWorker: ApartWorker | false = { memoryMb: TASKS.workerMemoryMb },
  limits?: UpstreamSimulatorOptions['limits'],
): Promise<Subject> {
  const folder = dataFolder();
  const apart = apartWorker
    ? await inOwnProcess(
        join(folder.path, 'worker'),
        { name: 'WorkerFunction', memoryMb: apartWorker.memoryMb },
        apartWorker.deployment,
      )
    : undefined;
  const { system, slack, upstream } = await startJourneyHarness(folder.path, {
    upstream: { ...UPSTREAM, limits },
    slack: { identity: { users: PEOPLE } },
    ...(apart && { build: () => Promise.resolve(apart.built) }),
  });
  await system.emulator.warm();
  await after(STARTED_MS);
  const worker = system.emulator.resources.functions.find(({ logicalId }) => logicalId.startsWith('Worker'));
  return {
    name: 'Parley',
    eventsUrl: `${system.local.api}${ROUTES.slackEvents}`,
    slack,
    upstream,
    pid: () => apart?.pid() ?? String(process.pid),
    async crash() {
      if (!(await system.emulator.killFunction(worker?.logicalId ?? '')))
        throw new Error('No answer was running');
    },
    async close() {
      await system.close();
      folder.remove();
    },
  };
}

/** The largest resident memory of a process since its start (MB). */
export const peakMb = (pid: string): number =>
  Number(/VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
