import type { ChatEvent } from '../../../../shared/domain/index.ts';
import { type Profile, Relay, type RelayDeps } from '../../../../shared/platforms/discord/gateway/index.ts';
import { systemTime } from '../../../../shared/runtime/time.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../../simulators/discord/gateway.ts';
import { Corner, TOKEN } from './corner.ts';

/** A relay of this corner, and all that it handed over. `shelf` is what its next process finds. */
export type Rig = {
  readonly corner: Corner;
  readonly gateway: Gateway;
  /** Each once, as the queue and the table make sure; `repeats` counts the rest. */
  readonly taken: ChatEvent[];
  repeats: number;
  readonly said: { readonly event: string; readonly facts: unknown }[];
  /** Made by the test: the hand-over fails while this is above zero, or waits for it. */
  trouble: { fails: number; holds: Promise<void> };
  shelf: { text: string | undefined; saves: number };
  guildShelf: { text: string | undefined };
  /** What the shards of other divisions wrote down, by their names; and what all processes agreed on. */
  readonly shelves: Map<string, string>;
  readonly plan: { text: string; version: number } | undefined;
  /** Made by the test: the table with the plan cannot be reached. */
  planFails: boolean;
  /** The next process would know of a session. */
  readonly begun: boolean;
  readonly relays: Relay[];
  /** Made by the test: what is said to nobody may concern the bot. */
  listens: boolean;
  relay(profile?: Profile, changes?: Partial<RelayDeps>): Promise<Relay>;
  /** Ends the process of a relay, as `kill -9` does. */
  kill(): void;
  texts(): string[];
  close(): Promise<void>;
};

export async function rigOf(options: GatewayOptions = {}): Promise<Rig> {
  const corner = new Corner();
  const gateway = await startGateway(corner, { heartbeatMs: 200, identifyMs: 0, ...options });
  let generation = 0;
  let plan: { text: string; version: number } | undefined;
  const taken = new Set<string>();
  const rig: Rig = {
    corner,
    gateway,
    taken: [],
    repeats: 0,
    said: [],
    trouble: { fails: 0, holds: Promise.resolve() },
    shelf: { text: undefined, saves: 0 },
    guildShelf: { text: undefined },
    shelves: new Map(),
    get plan() {
      return plan;
    },
    planFails: false,
    get begun() {
      return rig.shelf.text?.includes('"session"') === true;
    },
    relays: [],
    listens: false,
    relay: async (profile = 'all', changes = {}) => {
      const mine = ++generation;
      // A process that was killed does nothing any more, whatever its promises still hold.
      const never = new Promise<never>(() => undefined);
      const living = <T>(work: () => Promise<T>): Promise<T> => (mine === generation ? work() : never);
      const note = (event: string, facts?: unknown): void => void rig.said.push({ event, facts });
      const relay = new Relay({
        token: TOKEN,
        profile,
        gatewayUrl: gateway.url,
        reads: corner.reads(),
        shardStores: (shard) => shelvesOf(rig, shard, living),
        planStore: {
          load: () =>
            living(async () => {
              if (rig.planFails) throw new Error('the table cannot be reached');
              return plan;
            }),
          save: (text, version) =>
            living(async () => {
              if (rig.planFails) throw new Error('the table cannot be reached');
              if (version !== (plan?.version ?? 0)) return false;
              plan = { text, version: version + 1 };
              return true;
            }),
        },
        member: undefined,
        sessionLimit: { take: async () => ({ granted: true, waitMs: 0 }) },
        onChatEvent: (chatEvent) =>
          living(async () => {
            await rig.trouble.holds;
            rig.trouble.fails -= 1;
            if (rig.trouble.fails >= 0) throw new Error('the queue cannot be reached');
            return await living(async () => {
              const key = JSON.stringify(chatEvent);
              // What people say among themselves is handed over too: it is for the flow to pass over.
              if (chatEvent.kind === 'message' && chatEvent.message.addressed === 'overheard')
                return 'ignored';
              if (taken.has(key)) rig.repeats += 1;
              else rig.taken.push(chatEvent);
              taken.add(key);
              return 'queued';
            });
          }),
        mayConcern: async () => rig.listens,
        isPermanentError: () => false,
        now: Date.now,
        // Waits are as long as they have to be for others to go on, no longer.
        sleep: (ms) => living(() => systemTime.sleep(Math.min(ms, 20))),
        random: () => 0.5,
        onAlive: () => undefined,
        log: { debug: note, info: note, warn: note, error: note },
        ...changes,
      });
      rig.relays.push(relay);
      await relay.start();
      return relay;
    },
    kill() {
      generation += 1;
      gateway.drop();
    },
    texts: () =>
      rig.taken.map((one) => ('message' in one && typeof one.message === 'object' ? one.message.text : '')),
    close: async () => {
      generation += 1;
      await gateway.close();
    },
  };
  return rig;
}

const nothing = async (): Promise<void> => undefined;

type Living = <T>(work: () => Promise<T>) => Promise<T>;

/** Where a shard writes things down; the first division has the shelves of the rig's own. */
function shelvesOf(rig: Rig, shard: string, living: Living): ReturnType<RelayDeps['shardStores']> {
  if (shard !== '')
    return {
      checkpointStore: shelfIn(rig, shard, living),
      guildStore: shelfIn(rig, `guilds ${shard}`, living),
    };
  return {
    checkpointStore: {
      load: async () => rig.shelf.text,
      save: (text) =>
        living(async () => {
          rig.shelf = { text, saves: rig.shelf.saves + 1 };
        }),
      discard: nothing,
    },
    guildStore: {
      load: async () => rig.guildShelf.text,
      save: (text) =>
        living(async () => {
          rig.guildShelf = { text };
        }),
      discard: nothing,
    },
  };
}

const shelfIn = (
  { shelves }: Rig,
  name: string,
  living: Living,
): ReturnType<RelayDeps['shardStores']>['checkpointStore'] => ({
  load: async () => shelves.get(name),
  save: (text) => living(async () => void shelves.set(name, text)),
  discard: () => living(async () => void shelves.delete(name)),
});
