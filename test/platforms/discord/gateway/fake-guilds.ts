import type { RelayDeps } from '../../../../shared/platforms/discord/gateway/index.ts';
import { type Json, stringOf } from '../../../simulators/discord/json.ts';
import type { GatewaySource } from '../../../simulators/discord/gateway.ts';
import type { GatewayEvent } from '../../../simulators/discord/gateway-intents.ts';

export const BOT = '901000000000000001';
export const ADA = '101000000000000001';
export const GUILD = '201000000000000001';
export const GENERAL = '301000000000000001';
export const DM = '301000000000000007';
export const TOKEN = 'simulated.discord.token';

/** A small Discord: a guild with a channel, threads, a DM, and their REST routes. */
export class FakeGuilds implements GatewaySource {
  readonly botToken = TOKEN;
  readonly applicationId = BOT;
  readonly budget = { total: 1000, remaining: 1000, shards: 1, maxConcurrency: 1 };
  readonly onDispatch = new Set<(event: GatewayEvent) => void>();
  contentAllowed = true;
  /** REST requests so far, by route. */
  readonly lookups: string[] = [];
  /** Set by the test: REST fails this often before it responds. */
  failing = 0;
  readonly #messages = new Map<string, Json[]>();
  readonly #threads = new Map<string, string>();
  #last = 0n;
  readonly #clock: () => number;

  constructor(now: () => number = Date.now) {
    this.#clock = now;
  }

  /** Set by the test: the owner of the token, and whether that bot is in the guild. */
  bot = BOT;
  isIn = true;
  user = (): Json => ({ id: this.bot, username: 'Parley', bot: true });
  messageContent = (): boolean => this.contentAllowed;
  nextId = (): string => {
    const now = BigInt(this.#clock() - 1_420_070_400_000) << 22n;
    this.#last = now > this.#last ? now : this.#last + 1n;
    return String(this.#last);
  };

  /** The guilds with their one channel. */
  readonly places = new Map([[GUILD, GENERAL]]);

  guilds = (): GatewayEvent[] => (this.isIn ? [...this.places.keys()].map((id) => this.#guild(id)) : []);

  /** Adds guilds, this many on each of `shards`; returns their channels. */
  grow(shards: number, each = 1): string[] {
    const guilds = Array.from({ length: shards * each }, (_, n) => {
      const born = BigInt(1_000_000 + this.places.size * shards * each) * BigInt(shards) + BigInt(n % shards);
      const [guild, channel] = [String(born << 22n), String((born << 22n) + 1n)];
      this.places.set(guild, channel);
      return channel;
    });
    return guilds;
  }

  #guild(id: string): GatewayEvent {
    return {
      t: 'GUILD_CREATE',
      guildId: id,
      open: true,
      d: {
        id,
        joined_at: '2020-01-01T00:00:00.000000+00:00',
        roles: [{ id: '701000000000000001', tags: { bot_id: BOT } }],
        channels: [this.#channel(this.places.get(id) ?? '')],
        threads: id === GUILD ? [...this.#threads.keys()].map((thread) => this.#channel(thread)) : [],
      },
    };
  }

  #guildOf(channel: unknown): string {
    return [...this.places].find(([, one]) => one === channel)?.[0] ?? GUILD;
  }

  /** A message of Ada, which is also sent to the gateway. Returns its id. */
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
      timestamp: new Date(this.#clock()).toISOString(),
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
    const guild = d['channel_id'] === DM ? undefined : this.#guildOf(d['channel_id']);
    const open =
      guild === undefined || stringOf(d['content']).includes(`<@${BOT}>`) || !t.startsWith('MESSAGE_');
    const event: GatewayEvent = { t, open, d: guild ? { ...d, guild_id: guild } : d };
    for (const listener of this.onDispatch) listener(guild ? { ...event, guildId: guild } : event);
  }

  reads(): RelayDeps['reads'] {
    const answer = <T>(route: string, value: T): Promise<T> => {
      this.lookups.push(route);
      this.failing -= 1;
      return this.failing >= 0 ? Promise.reject(new Error('HTTPError')) : Promise.resolve(value);
    };
    return {
      gateway: () => {
        const { remaining, shards, maxConcurrency } = this.budget;
        return answer('gateway', { remaining, resetAfterMs: 1000, shards, maxConcurrency });
      },
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
      : { id, type: id === DM ? 1 : 0, guild_id: this.#guildOf(id), last_message_id: last };
  }
}
