import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { readFileSync } from 'node:fs';
import { type LocalOptions, type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import type { Gateway } from '../simulators/discord/gateway.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import { recorderFromEnvironment } from '../simulators/recorder.ts';
import { closeWithoutSecrets } from './expect-no-secrets.ts';

/** The local system with the relay as a process of its own, on a simulated Discord. */
export type RelayHarness = {
  readonly discord: DiscordSimulator;
  readonly gateway: Gateway;
  readonly system: LocalSystem;
  /**
   * Whether the relay has stored its sessions: killed before, it starts new ones, which Discord permits after some
   * seconds.
   */
  hasStarted(sessions?: number): Promise<boolean>;
  /** The recorded questions, each as often as it is recorded. */
  questions(): Promise<string[]>;
  /** Kills the relay's process like `kill -9`; the engine starts another after a second. */
  kill(): void;
  /** The peak memory of the relay's process (MB). */
  peak(): number;
  close(): Promise<void>;
};

export async function startRelayHarness(
  data: string,
  { discord: more, ...options }: Partial<LocalOptions> = {},
): Promise<RelayHarness> {
  const simulated = { enforceLimits: false, record: recorderFromEnvironment(), ...more };
  const system = await startLocal({ data, port: 0, ...options, discord: simulated });
  const { simulator: discord, gateway } = system.discord;
  if (!discord || !gateway) throw new Error('Discord is not simulated');
  const { region, credentials, table } = tableOf(system);
  const dynamo = new DynamoDBClient({ region, credentials, endpoint: system.emulator.dynamodb });
  const pid = (): number => {
    const [process] = system.emulator.processes;
    if (process?.pid === undefined) throw new Error('the relay does not run');
    return process.pid;
  };
  return {
    discord,
    gateway,
    system,
    async hasStarted(sessions = 1) {
      const tokens = system.emulator.resources.tables.find(({ name }) => name.startsWith('Tokens'))?.name;
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName: tokens, ConsistentRead: true }));
      const written = Items.filter(
        (item) => item['pk']?.S?.startsWith('BOOKMARK#discord') && JSON.stringify(item).includes('session'),
      );
      return written.length >= sessions;
    },
    async questions() {
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
      return Items.flatMap(({ pk, sk }) => (pk?.S?.includes('discord') ? [`${pk.S} ${sk?.S}`] : []));
    },
    kill: () => void process.kill(pid(), 'SIGKILL'),
    peak: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1]) / 1024,
    async close() {
      dynamo.destroy();
      await closeWithoutSecrets(data, system);
    },
  };
}

/** The table of conversations, with its connection. */
export function tableOf({ emulator: cloud }: LocalSystem) {
  const { AWS_REGION: region = '', AWS_ACCESS_KEY_ID: accessKeyId = '' } = cloud.environment;
  const table = cloud.resources.tables.find(({ name }) => name.startsWith('Conversations'))?.name;
  const secretAccessKey = cloud.environment['AWS_SECRET_ACCESS_KEY'] ?? '';
  return { region, credentials: { accessKeyId, secretAccessKey }, table };
}

/** Polls until this holds, for at most a minute or the given time. */
export async function eventually(holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await holds()); await systemTime.sleep(50)) {
    if (Date.now() > end) throw new Error(`never: ${holds.toString()}`);
  }
}
