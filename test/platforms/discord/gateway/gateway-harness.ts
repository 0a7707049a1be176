import type { ChatEvent } from '../../../../shared/domain/index.ts';
import { type Profile, Relay, type RelayDeps } from '../../../../shared/platforms/discord/gateway/index.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../../simulators/discord/gateway.ts';
import { FakeGuilds, TOKEN } from './fake-guilds.ts';
import { TurnClock } from './turn-clock.ts';

/** A relay on the small Discord, with all forwarded events. `checkpoint` is the stored state for its next process. */
export type GatewayHarness = {
  readonly clock: TurnClock;
  readonly guilds: FakeGuilds;
  readonly gateway: Gateway;
  /** Deduplicated, as queue and table do; `repeats` counts the duplicates. */
  readonly delivered: ChatEvent[];
  repeats: number;
  readonly logs: { readonly event: string; readonly facts: unknown }[];
  /** Set by the test: forwarding fails while this is above zero, or waits for it. */
  forwarding: { fails: number; holds: Promise<void> };
  checkpoint: { text: string | undefined; saves: number };
  guildCheckpoint: { text: string | undefined };
  /** The stored state of shards of other divisions by their names, and the state shared by all processes. */
  readonly checkpoints: Map<string, string>;
  readonly plan: { text: string; version: number } | undefined;
  /** Set by the test: the table with the plan is unavailable. */
  planFails: boolean;
  /** The next process would know a session. */
  readonly hasStarted: boolean;
  readonly relays: Relay[];
  /** Set by the test: messages without a mention may concern the bot. */
  readsUnaddressed: boolean;
  relay(profile?: Profile, changes?: Partial<RelayDeps>): Promise<Relay>;
  /** Kills the process of a relay like `kill -9`. */
  kill(): void;
  texts(): string[];
  close(): Promise<void>;
};

/** A gateway with short intervals. */
export const startTestGateway = (
  guilds: FakeGuilds,
  { now }: TurnClock,
  options: GatewayOptions,
): Promise<Gateway> =>
  // The client waits in real time before it resumes. By then, the clock of turns may be minutes ahead on a fast machine.
  startGateway(guilds, { heartbeatMs: 200, identifyMs: 0, resumeMs: Infinity, now, ...options });

export async function startGatewayHarness(options: GatewayOptions = {}): Promise<GatewayHarness> {
  const clock = new TurnClock();
  const guilds = new FakeGuilds(clock.now);
  const gateway = await startTestGateway(guilds, clock, options);
  let generation = 0;
  let plan: { text: string; version: number } | undefined;
  const ids = new Set<string>();
  const harness: GatewayHarness = {
    clock,
    guilds,
    gateway,
    delivered: [],
    repeats: 0,
    logs: [],
    forwarding: { fails: 0, holds: Promise.resolve() },
    checkpoint: { text: undefined, saves: 0 },
    guildCheckpoint: { text: undefined },
    checkpoints: new Map(),
    get plan() {
      return plan;
    },
    planFails: false,
    get hasStarted() {
      return harness.checkpoint.text?.includes('"session"') === true;
    },
    relays: [],
    readsUnaddressed: false,
    relay: async (profile = 'all', changes = {}) => {
      const mine = ++generation;
      // A killed process does nothing more, whatever its promises hold.
      const never = new Promise<never>(() => undefined);
      const living = <T>(work: () => Promise<T>): Promise<T> => (mine === generation ? work() : never);
      const note = (event: string, facts?: unknown): void => void harness.logs.push({ event, facts });
      const relay = new Relay({
        token: TOKEN,
        profile,
        gatewayUrl: gateway.url,
        reads: guilds.reads(),
        shardStores: (shard) => createShardStores(harness, shard, living),
        planStore: {
          load: () =>
            living(async () => {
              if (harness.planFails) throw new Error('the table cannot be reached');
              return plan;
            }),
          save: (text, version) =>
            living(async () => {
              if (harness.planFails) throw new Error('the table cannot be reached');
              if (version !== (plan?.version ?? 0)) return false;
              plan = { text, version: version + 1 };
              return true;
            }),
        },
        member: undefined,
        sessionLimit: { take: async () => ({ granted: true, waitMs: 0 }) },
        onChatEvent: (chatEvent) =>
          living(async () => {
            await harness.forwarding.holds;
            harness.forwarding.fails -= 1;
            if (harness.forwarding.fails >= 0) throw new Error('the queue cannot be reached');
            return await living(async () => {
              const key = JSON.stringify(chatEvent);
              // Messages without a mention are forwarded too: the feature ignores them.
              if (chatEvent.kind === 'message' && chatEvent.message.addressed === 'none') return 'ignored';
              if (ids.has(key)) harness.repeats += 1;
              else harness.delivered.push(chatEvent);
              ids.add(key);
              return 'queued';
            });
          }),
        mayConcern: async () => harness.readsUnaddressed,
        isPermanentError: () => false,
        now: clock.now,
        sleep: (ms) => living(() => clock.sleep(ms)),
        random: () => 0.5,
        onAlive: () => undefined,
        log: { debug: note, info: note, warn: note, error: note },
        ...changes,
      });
      harness.relays.push(relay);
      await relay.start();
      return relay;
    },
    kill() {
      generation += 1;
      gateway.drop();
    },
    texts: () =>
      harness.delivered.map((one) =>
        'message' in one && typeof one.message === 'object' ? one.message.text : '',
      ),
    close: async () => {
      generation += 1;
      clock.close();
      await gateway.close();
    },
  };
  return harness;
}

const nothing = async (): Promise<void> => undefined;

type Living = <T>(work: () => Promise<T>) => Promise<T>;

/** The stored state of a shard; the first division uses that of the rig. */
function createShardStores(
  harness: GatewayHarness,
  shard: string,
  living: Living,
): ReturnType<RelayDeps['shardStores']> {
  if (shard !== '')
    return {
      checkpointStore: createStore(harness, shard, living),
      guildStore: createStore(harness, `guilds ${shard}`, living),
    };
  return {
    checkpointStore: {
      load: async () => harness.checkpoint.text,
      save: (text) =>
        living(async () => {
          harness.checkpoint = { text, saves: harness.checkpoint.saves + 1 };
        }),
      discard: nothing,
    },
    guildStore: {
      load: async () => harness.guildCheckpoint.text,
      save: (text) =>
        living(async () => {
          harness.guildCheckpoint = { text };
        }),
      discard: nothing,
    },
  };
}

const createStore = (
  { checkpoints }: GatewayHarness,
  name: string,
  living: Living,
): ReturnType<RelayDeps['shardStores']>['checkpointStore'] => ({
  load: async () => checkpoints.get(name),
  save: (text) => living(async () => void checkpoints.set(name, text)),
  discard: () => living(async () => void checkpoints.delete(name)),
});
