import { setFlagsFromString } from 'node:v8';
import { writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { happen } from '../shared/flows/happen.ts';
import { Relay, restReads } from '../shared/platforms/discord/gateway/index.ts';
import { AwsFailed, awsCaller } from '../shared/runtime/aws-request.ts';
import { environment, relayConfig } from '../shared/runtime/config.ts';
import { withContainerCredentials } from '../shared/runtime/container-credentials.ts';
import { logger } from '../shared/runtime/log.ts';
import { sqsQueue } from '../shared/runtime/queue.ts';
import { discordBot, secret } from '../shared/runtime/secrets.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { dynamoLight } from '../shared/store/dynamo-light.ts';
import { Bookmarks, Buckets, Marks, SettingsStore, Turns } from '../shared/store/index.ts';

z.config({ jitless: true });
// What it holds is small and short-lived: the heap is collected rather than grown.
setFlagsFromString('--max-old-space-size=64');

/** Our own allowance of sessions: twenty at once, then one in three minutes; Discord's thousand a day are never reached. */
const SESSIONS = { intervalUs: 180e6, toleranceUs: 19 * 180e6 } as const;
/** Refusals of AWS that are about what was sent, and will be the same next time. */
const HOPELESS = new Set(['ValidationException', 'InvalidMessageContents', 'InvalidParameterValue']);
/** Looked at by the health check of the container: how old it is. */
const ALIVE_FILE = 'alive';

/** A process that runs on, not a function of Lambda: keeps the connection to Discord's gateway, and hands over what comes. */
async function run(): Promise<void> {
  const { now, sleep } = systemTime;
  let access = environment();
  access = await withContainerCredentials(access, (env) => (access = env));
  const config = relayConfig(access);
  // Read with every request: the credentials of a container change while it runs.
  const aws = {
    ...config.aws,
    get credentials() {
      return relayConfig(access).aws.credentials;
    },
  };
  const log = logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now);
  const call = awsCaller(aws, { deadlineMs: 5_000 });
  const dynamo = dynamoLight(call);
  const { conversationsTable: table, tokensTable, historyDays: days } = config;
  const store = { dynamo, table, days, now };
  const deps = {
    turns: new Turns(store),
    marks: new Marks(store),
    queue: sqsQueue(config.taskQueueUrl, call),
    voice: sqsQueue(config.voiceQueueUrl, call),
    choices: new SettingsStore(store),
    now,
  };
  const { botToken } = await tokenOf(config.discordBotSecretId);
  const buckets = new Buckets(dynamo, tokensTable, now);
  const relay = new Relay({
    token: botToken,
    profile: config.discordMessages,
    gatewayUrl: config.discordGatewayUrl,
    reads: restReads(config.discordApiUrl, botToken),
    shelf: new Bookmarks(dynamo, tokensTable, 'discord'),
    slots: { take: (maxWaitMs) => buckets.take('SESSIONS#discord', SESSIONS, { maxWaitMs }) },
    happen: (happening) => happen(happening, deps),
    hopeless: (error) => !(error instanceof AwsFailed) || HOPELESS.has(error.code),
    now,
    sleep,
    random: Math.random,
    alive: () => void writeFile(ALIVE_FILE, String(now())).catch(() => undefined),
    log,
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void relay.stop().finally(() => process.exit(0)));
  }
  await relay.start();

  /** Waits for a secret that cannot be read just now, or is still to be filled in. */
  async function tokenOf(id: string): Promise<{ readonly botToken: string }> {
    const bot = secret(id, discordBot, { aws: call, now });
    for (;;) {
      try {
        return await bot.load();
      } catch (error) {
        log.error('secret.missing', { error: error instanceof Error ? error.name : 'unknown' });
        await sleep(30_000);
      }
    }
  }
}

// The gateway ends a process that nobody listens to any more; this one goes on until it is told to stop.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unexpected: ${error instanceof Error ? (error.stack ?? error.name) : 'unknown'}\n`);
  process.exit(1);
});
void run();
