import type { FaultPanel } from '../../dashboard/index.ts';
import type { Cleanup } from '../cleanup.ts';
import type { Emulator } from '../emulator.ts';
import type { Logs } from '../functions/logs.ts';
import type { DiscordService } from '../services/discord.ts';
import type { SlackService, UpstreamService } from '../services/services.ts';
import { createFaultSwitches, type Fault } from './fault-switches.ts';
import { listMachineFaults } from './machine-faults.ts';
import { listModelFaults } from './model-faults.ts';
import { listPlatformFaults, type SimulatedPlatforms } from './platform-faults.ts';

export type LocalFaultsOptions = {
  readonly emulator: Emulator;
  readonly slack: SlackService;
  readonly discord: DiscordService;
  readonly upstream: UpstreamService;
  readonly logs: Pick<Logs, 'write'>;
  /** Called with the titles of the active faults whenever they change. */
  readonly onActive: (titles: readonly string[]) => void;
};

/** Creates the faults of the local system. Logs when one begins and ends, so that its consequences are not taken for errors. */
export function createLocalFaults(
  { emulator, slack, discord, upstream, logs, onActive }: LocalFaultsOptions,
  undo: Cleanup,
): FaultPanel {
  const log = (event: string, reason?: string): void =>
    logs.write(
      'faults',
      JSON.stringify({ timestamp: new Date().toISOString(), level: 'warn', event, reason }),
    );
  const simulators = { upstream: upstream.simulator, slack: slack.simulator, discord: discord.simulator };
  const switches = createFaultSwitches({
    faults: createFaults(simulators, emulator, () => log('fault.worker-killed')),
    now: Date.now,
    after,
    onChange({ title }, isOn, states) {
      log(isOn ? 'fault.started' : 'fault.ended', title);
      onActive(states.filter(({ until }) => until !== undefined).map((state) => state.title));
    },
  });
  undo.push(() => switches.stopAll());
  return switches;
}

type Simulators = SimulatedPlatforms & { readonly upstream: UpstreamService['simulator'] };

const createFaults = (
  { upstream, ...platforms }: Simulators,
  emulator: Parameters<typeof listMachineFaults>[0],
  onKill: () => void,
): readonly Fault[] => [
  ...listModelFaults(upstream),
  ...listPlatformFaults(platforms),
  ...listMachineFaults(emulator, every, onKill),
];

/** Lists the faults that a local system has, without one. */
export const listFaults = (): readonly Pick<Fault, 'name' | 'title'>[] =>
  createFaults(
    { upstream: undefined, slack: undefined, discord: undefined },
    {
      killFunction: () => Promise.resolve(false),
      setTableDelay: () => undefined,
      resources: { eventSources: [] },
    },
    () => undefined,
  );

function after(ms: number, action: () => void): () => void {
  const timer = setTimeout(action, ms);
  return () => clearTimeout(timer);
}

function every(firstMs: number, intervalMs: number, action: () => void): () => void {
  let timer = setTimeout(function repeat() {
    action();
    timer = setTimeout(repeat, intervalMs);
  }, firstMs);
  return () => clearTimeout(timer);
}
