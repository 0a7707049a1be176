import { dateInZone } from '../../../shared/billing/budgets/index.ts';
import {
  createDashboardServer,
  type DashboardSource,
  findMessageLedger,
  summarize,
} from '../../dashboard/index.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Emulator } from '../emulator.ts';
import { closeServer, listen } from '../listen.ts';
import { createLocalFaults } from '../faults/local-faults.ts';
import type { Logs } from '../functions/logs.ts';
import type { DiscordService } from '../services/discord.ts';
import type { SlackService, UpstreamService } from '../services/services.ts';
import type { LogCollector } from './log-collector.ts';
import { linkPages } from './page-links.ts';
import { createNameLookup } from './name-lookup.ts';
import { watchQueueLevels } from './queue-levels.ts';
import { createTableReader } from './table-reader.ts';

export type LocalDashboardOptions = {
  readonly collector: LogCollector;
  readonly emulator: Emulator;
  readonly slack: SlackService;
  readonly discord: DiscordService;
  readonly upstream: UpstreamService;
  readonly logs: Pick<Logs, 'note' | 'write'>;
  /** Base URL of the HTTP API, whose path `/dashboard` leads to the page. */
  readonly api: string;
};

/** Starts the operator's page on a free port of the loopback address, whatever `--host` says. Returns its URL. */
export async function startDashboard(options: LocalDashboardOptions, undo: Cleanup): Promise<string> {
  const { emulator, slack, discord, logs, api } = options;
  const showFaults = (titles: readonly string[]): void => linkPages(slack, discord, api, titles);
  showFaults([]);
  const faults = createLocalFaults({ ...options, onActive: showFaults }, undo);
  const levels = watchQueueLevels(emulator.queues, Date.now);
  undo.push(levels.stop);
  const reportError = (error: unknown): void =>
    logs.note(`dashboard: ${error instanceof Error ? error.stack : 'unknown error'}`);
  const server = createDashboardServer({
    source: createSource(options, levels),
    faults,
    whereToLook: 'logs/engine.log in the data folder says why.',
    reportError,
  });
  const url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  undo.push(() => closeServer(server, 100));
  return url;
}

/** The local system has no alarms, and computes everything from its log. */
const LOCAL_SYSTEM = {
  system: 'this machine',
  refreshMs: 3_000,
  minStepMs: 1_000,
  alarms: undefined,
  measured: undefined,
  notes: [],
  unread: [],
};

function createSource(
  { collector, emulator, slack, discord }: LocalDashboardOptions,
  levels: ReturnType<typeof watchQueueLevels>,
): DashboardSource {
  const { tables, functions } = emulator.resources;
  const find = (part: string): string => tables.find(({ name }) => name.includes(part))?.name ?? '';
  const reader = createTableReader(
    emulator.dynamodb,
    { conversations: find('Conversations'), tokens: find('Tokens') },
    Date.now,
  );
  const nameOf = createNameLookup({ slack, discord });
  const setting = (name: string): string | undefined =>
    functions.find(({ env }) => env[name] !== undefined)?.env[name];
  const zone = setting('TIME_ZONE') ?? 'UTC';
  return {
    async read(rangeMs) {
      const now = Date.now();
      const firstDay = dateInZone(now - rangeMs, zone);
      const [records, accounts, limits] = await Promise.all([
        collector.list(),
        reader.readAccounts(firstDay),
        reader.readLimits(),
      ]);
      const hasAccounts = setting('ACCOUNTS') === 'on';
      const queues = { queues: levels.read(), queueHistory: levels.history() };
      return summarize(
        { ...LOCAL_SYSTEM, records, accounts, firstDay, limits, nameOf, hasAccounts, ...queues },
        now,
        rangeMs,
      );
    },
    async findMessage(trace) {
      const records = await collector.list();
      return findMessageLedger(records, nameOf, trace);
    },
  };
}
