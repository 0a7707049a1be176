import { Relay } from '../shared/platforms/discord/gateway/index.ts';
import { createAwsCall, containerConfig, discordBotSchema, secret } from '../shared/aws/index.ts';
import { environment, relayConfig, logger, systemTime } from '../shared/runtime/index.ts';
import { alive } from './composition/index.ts';
import { relayDeps, tokenIn } from './composition/discord/index.ts';
import { errorName } from '../shared/utils/index.ts';

const SECRET_RETRY_MS = 30_000;

/** A process, not a Lambda function: keeps the connection to Discord's gateway and enqueues its events. */
async function run(): Promise<void> {
  const { now, sleep } = systemTime;
  const config = await containerConfig(environment(), relayConfig);
  const log = logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now);
  const aws = createAwsCall(config.aws, { deadlineMs: 5_000 });
  const bot = secret(config.discordBotSecretId, discordBotSchema, { aws, now });
  let relay: Relay | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void Promise.resolve(relay?.stop()).finally(() => process.exit(0)));
  }
  const token = await tokenIn(bot, (error) => {
    alive();
    log.error('secret.missing', { error: errorName(error) });
    return sleep(SECRET_RETRY_MS);
  });
  relay = new Relay(relayDeps(config, aws, token, log));
  await relay.start();
}

// A process with an unexpected error is replaced.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unexpected: ${error instanceof Error ? (error.stack ?? error.name) : 'unknown'}\n`);
  process.exit(1);
});
void run();
