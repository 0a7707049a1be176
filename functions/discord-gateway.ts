import { getEnvironment, readRelayConfig, createProcessLog, systemTime } from '../shared/runtime/index.ts';
import { readContainerConfig } from '../shared/aws/index.ts';
import { createRelay, type Relay } from './composition/discord/index.ts';

/** A process, not a Lambda function: keeps the connection to Discord's gateway and enqueues its events. */
async function run(): Promise<void> {
  const config = await readContainerConfig(getEnvironment(), readRelayConfig);
  const log = createProcessLog(config.logLevel, systemTime.now);
  let relay: Relay | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void Promise.resolve(relay?.stop()).finally(() => process.exit(0)));
  }
  relay = await createRelay(config, log);
  await relay.start();
}

// A process with an unexpected error is replaced.
process.on('unhandledRejection', (error) => {
  process.stderr.write(`unexpected: ${error instanceof Error ? (error.stack ?? error.name) : 'unknown'}\n`);
  process.exit(1);
});
void run();
