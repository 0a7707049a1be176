import type { Happening } from '../../../../shared/conversation/index.ts';
import { Relay, type RelayDeps, type Profile } from '../../../../shared/platforms/discord/gateway/index.ts';
import { type Json, stringOf } from '../../../simulators/discord/json.ts';
import { systemTime } from '../../../../shared/runtime/time.ts';
import {
  type Gateway,
  type GatewayOptions,
  type GatewaySource,
  startGateway,
} from '../../../simulators/discord/gateway.ts';
import type { GatewayEvent } from '../../../simulators/discord/gateway-intents.ts';

export const BOT = '901000000000000001';
export const ADA = '101000000000000001';
export const GUILD = '201000000000000001';
export const GENERAL = '301000000000000001';
export const DM = '301000000000000007';
export const TOKEN = 'simulated.discord.token';

/** A small corner of Discord: a guild with a channel, threads, a DM, and what REST tells of them. */
export class Corner implements GatewaySource {
  readonly botToken = TOKEN;
  readonly applicationId = BOT;
  readonly budget = { total: 1000, remaining: 1000 };
  readonly onDispatch = new Set<(event: GatewayEvent) => void>();
  contentAllowed = true;
  /** Calls of REST so far, by route. */
  readonly asked: string[] = [];
  /** Made by the test: REST fails that often before it answers. */
  failing = 0;
  readonly #messages = new Map<string, Json[]>();
  readonly #threads = new Map<string, string>();
  #last = 0n;

  /** Made by the test: whose token it is, and whether that bot is in the guild. */
  bot = BOT;
  isIn = true;
  user = (): Json => ({ id: this.bot, username: 'Parley', bot: true });
  messageContent = (): boolean => this.contentAllowed;
  nextId = (): string => {
    const now = BigInt(Date.now() - 1_420_070_400_000) << 22n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  };

  guilds = (): GatewayEvent[] => (this.isIn ? [this.#guild()] : []);

  #guild(): GatewayEvent {
    return {
      t: 'GUILD_CREATE',
      guildId: GUILD,
      open: true,
      d: {
        id: GUILD,
        joined_at: '2020-01-01T00:00:00.000000+00:00',
        roles: [{ id: '701000000000000001', tags: { bot_id: BOT } }],
        channels: [this.#channel(GENERAL)],
        threads: [...this.#threads.keys()].map((id) => this.#channel(id)),
      },
    };
  }

  /** A message of Ada's; tells the gateway of it. Returns its id. */
  post(content: string, changes: Json = {}): string {
    const id = this.nextId();
    const channel = typeof changes['channel_id'] === 'string' ? changes['channel_id'] : GENERAL;
    const message: Json = {
      id,
      type: 0,
      channel_id: channel,
      content,
      author: { id: ADA, username: 'ada', global_name: 'Ada Lovelace' },
      mentions: content.includes(`<@${BOT}>`) ? [{ id: BOT, username: 'Parley', bot: true }] : [],
      mention_roles: [],
      attachments: [],
      embeds: [],
      flags: 0,
      timestamp: new Date().toISOString(),
      edited_timestamp: null,
      ...changes,
    };
    this.#messages.set(channel, [...(this.#messages.get(channel) ?? []), message]);
    this.tell('MESSAGE_CREATE', message);
    return id;
  }

  ask = (words: string, changes: Json = {}): string => this.post(`<@${BOT}> ${words}`, changes);

  /** Opens a thread from a message, as the worker does. */
  open(message: string): void {
    this.#threads.set(message, GENERAL);
    this.tell('THREAD_CREATE', { ...this.#channel(message), newly_created: true });
  }

  tell(t: string, d: Json): void {
    const guild = d['channel_id'] === DM ? undefined : GUILD;
    const open =
      guild === undefined || stringOf(d['content']).includes(`<@${BOT}>`) || !t.startsWith('MESSAGE_');
    const event: GatewayEvent = { t, open, d: guild ? { ...d, guild_id: guild } : d };
    for (const listener of this.onDispatch) listener(guild ? { ...event, guildId: guild } : event);
  }

  reads(): RelayDeps['reads'] {
    const answer = <T>(route: string, value: T): Promise<T> => {
      this.asked.push(route);
      this.failing -= 1;
      return this.failing >= 0 ? Promise.reject(new Error('HTTPError')) : Promise.resolve(value);
    };
    return {
      sessions: () => answer('sessions', { remaining: this.budget.remaining, resetAfterMs: 1000 }),
      channel: (id) => answer(`channel ${id}`, this.#channel(id)),
      message: (channel, id) =>
        answer(
          `message ${id}`,
          this.#messages.get(channel)?.find((one) => one['id'] === id),
        ),
      messages: (channel, after, limit) => {
        const newer = (this.#messages.get(channel) ?? []).filter(
          ({ id }) => BigInt(stringOf(id)) > BigInt(after),
        );
        return answer(`messages ${channel}`, newer.slice(0, limit).toReversed());
      },
    };
  }

  #channel(id: string): Json {
    const last = this.#messages.get(id)?.at(-1)?.['id'] ?? null;
    const parent = this.#threads.get(id);
    return parent
      ? { id, type: 11, guild_id: GUILD, parent_id: parent, last_message_id: last }
      : { id, type: id === DM ? 1 : 0, guild_id: GUILD, last_message_id: last };
  }
}

/** A relay of this corner, and all that it handed over. `shelf` is what its next process finds. */
export type Rig = {
  readonly corner: Corner;
  readonly gateway: Gateway;
  /** Each once, as the queue and the table make sure; `repeats` counts the rest. */
  readonly taken: Happening[];
  repeats: number;
  readonly said: { readonly event: string; readonly facts: unknown }[];
  /** Made by the test: the hand-over fails while this is above zero, or waits for it. */
  trouble: { fails: number; holds: Promise<void> };
  shelf: { text: string | undefined; saves: number };
  guildShelf: { text: string | undefined };
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
        shelf: {
          load: async () => rig.shelf.text,
          save: (text) =>
            living(async () => {
              rig.shelf = { text, saves: rig.shelf.saves + 1 };
            }),
        },
        guildShelf: {
          load: async () => rig.guildShelf.text,
          save: (text) =>
            living(async () => {
              rig.guildShelf = { text };
            }),
        },
        slots: { take: async () => ({ granted: true, waitMs: 0 }) },
        happen: (happening) =>
          living(async () => {
            await rig.trouble.holds;
            rig.trouble.fails -= 1;
            if (rig.trouble.fails >= 0) throw new Error('the queue cannot be reached');
            return await living(async () => {
              const key = JSON.stringify(happening);
              // What people say among themselves is handed over too: it is for the flow to pass over.
              if (happening.kind === 'message' && happening.message.addressed === 'overheard')
                return 'ignored';
              if (taken.has(key)) rig.repeats += 1;
              else rig.taken.push(happening);
              taken.add(key);
              return 'queued';
            });
          }),
        mayConcern: async () => rig.listens,
        hopeless: () => false,
        now: Date.now,
        // Waits are as long as they have to be for others to go on, no longer.
        sleep: (ms) => living(() => systemTime.sleep(Math.min(ms, 20))),
        random: () => 0.5,
        alive: () => undefined,
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

/** Resolves when this holds; looked at every few ms, for at most ten seconds. */
export async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !holds(); await systemTime.sleep(5)) {
    if (Date.now() > end) throw new Error(`never: ${holds.toString()}`);
  }
}
