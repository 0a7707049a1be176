import type { ChatEvent } from '../../../../shared/domain/index.ts';
import {
  Relay,
  type RelayDeps,
  type ShardStores,
} from '../../../../shared/platforms/discord/gateway/index.ts';
import type { Gateway, GatewayOptions } from '../../../simulators/discord/gateway.ts';
import { FakeGuilds, DM, TOKEN } from './fake-guilds.ts';
import { startTestGateway } from './gateway-harness.ts';
import { TurnClock, until } from './turn-clock.ts';

/** One process of the relay. */
export type Process = {
  readonly relay: Relay;
  /** Kills it like `kill -9`: its pending work has no effect. */
  kill(): void;
  /** Set by the test: the table with the plan is unavailable. */
  cutOff: boolean;
  /** The number of its reports that it is alive. */
  alive: number;
};

/**
 * Processes that share the shards of one bot: their clock, their table and the forwarded events.
 */
export class Fleet {
  readonly clock: TurnClock;
  readonly guilds: FakeGuilds;
  readonly gateway: Gateway;
  /** Deduplicated, as queue and table do. */
  readonly delivered = new Map<string, ChatEvent>();
  readonly logged: { readonly event: string; readonly facts: unknown }[] = [];
  readonly checkpoints = new Map<string, string>();
  /** The number of shards for which the session allowance was requested. */
  readonly slots: number[] = [];
  plan: { readonly text: string; readonly version: number } | undefined;
  readonly #processes: Process[] = [];
  #questionCount = 0;

  constructor(clock: TurnClock, guilds: FakeGuilds, gateway: Gateway) {
    this.clock = clock;
    this.guilds = guilds;
    this.gateway = gateway;
  }

  static async start(options: GatewayOptions = {}): Promise<Fleet> {
    const clock = new TurnClock();
    const guilds = new FakeGuilds(clock.now);
    const gateway = await startTestGateway(guilds, clock, options);
    return new Fleet(clock, guilds, gateway);
  }

  texts(): string[] {
    return [...this.delivered.values()].flatMap((one) => (one.kind === 'message' ? [one.message.text] : []));
  }

  events(name: string): unknown[] {
    return this.logged.filter(({ event }) => event === name);
  }

  /** Resolves when exactly these shards are connected, as `id/count`. */
  connected(...shards: readonly string[]): Promise<void> {
    return until(() => this.gateway.shards.join() === shards.toSorted().join());
  }

  /** The guilds that were reported as having removed the bot. */
  removed(): unknown[] {
    return [...this.delivered.values()].filter(({ kind }) => kind === 'app-uninstalled');
  }

  /** Adds guilds, this many on each of `shards`, which Discord then recommends; returns their channels. */
  grown(shards: number, each = 1): string[] {
    this.guilds.budget.shards = shards;
    return this.guilds.grow(shards, each);
  }

  /** Asks in each channel, and in a direct message. Returns the texts. */
  ask(channels: readonly string[]): string[] {
    return [...channels, DM].map((channel) => {
      this.#questionCount += 1;
      const words = `question ${this.#questionCount}`;
      this.guilds.ask(words, { channel_id: channel });
      return words;
    });
  }

  /** Resolves when all of these texts were forwarded. */
  arrived(words: readonly string[]): Promise<void> {
    return until(() => words.every((one) => this.texts().includes(one)));
  }

  /** Starts a process; `member`: with others, under this name. */
  async process(member?: string, changes: Partial<RelayDeps> = {}): Promise<Process> {
    let dead = false;
    const never = new Promise<never>(() => undefined);
    const living = <T>(work: () => Promise<T>): Promise<T> => (dead ? never : work());
    const note = (event: string, facts?: unknown): void => void (dead || this.logged.push({ event, facts }));
    const relay = new Relay({
      token: TOKEN,
      profile: 'all',
      gatewayUrl: this.gateway.url,
      reads: this.guilds.reads(),
      shardStores: (shard) => this.#createShardStores(shard, living),
      planStore: this.#planShelf(() => process.cutOff, living),
      member,
      sessionLimit: {
        take: async (_, shards) => {
          this.slots.push(shards);
          return { granted: true, waitMs: 0 };
        },
      },
      onChatEvent: (chatEvent) =>
        living(async () => {
          if (chatEvent.kind === 'message' && chatEvent.message.addressed === 'none') return 'ignored';
          this.delivered.set(JSON.stringify(chatEvent), chatEvent);
          return 'queued';
        }),
      mayConcern: async () => false,
      isPermanentError: () => false,
      now: this.clock.now,
      sleep: (ms) => living(() => this.clock.sleep(ms)),
      random: () => 0.5,
      onAlive: () => {
        process.alive += 1;
      },
      log: { debug: note, info: note, warn: note, error: note },
      ...changes,
    });
    const process: Process = {
      relay,
      kill: () => {
        dead = true;
      },
      cutOff: false,
      alive: 0,
    };
    this.#processes.push(process);
    await relay.start();
    return process;
  }

  async close(): Promise<void> {
    for (const one of this.#processes) one.kill();
    this.clock.close();
    await this.gateway.close();
  }

  #planShelf(
    isCutOff: () => boolean,
    living: <T>(work: () => Promise<T>) => Promise<T>,
  ): RelayDeps['planStore'] {
    const reach = <T>(work: () => T): Promise<T> =>
      living(async () => {
        if (isCutOff()) throw new Error('the table cannot be reached');
        return work();
      });
    return {
      load: () => reach(() => this.plan),
      save: (text, version) =>
        reach(() => {
          if (version !== (this.plan?.version ?? 0)) return false;
          this.plan = { text, version: version + 1 };
          return true;
        }),
    };
  }

  #createShardStores(shard: string, living: <T>(work: () => Promise<T>) => Promise<T>): ShardStores {
    const createStore = (name: string): ShardStores['checkpointStore'] => ({
      load: () => living(async () => this.checkpoints.get(name)),
      save: (text) => living(async () => void this.checkpoints.set(name, text)),
      discard: () => living(async () => void this.checkpoints.delete(name)),
    });
    return { checkpointStore: createStore(`at ${shard}`), guildStore: createStore(`guilds ${shard}`) };
  }
}
