import { createHash } from 'node:crypto';
import { guildCreates } from './dispatch.ts';
import { DEFAULT_IDENTITY, GENERAL, GUILD, type Identity } from './identity.ts';
import type { Json } from './json.ts';
import { type Persons, personsOf } from './persons.ts';
import { presentMessage, presentUser } from './present.ts';
import { record } from './record.ts';
import { entryPoint } from './routes/commands.ts';
import { createSnowflakes } from './snowflakes.ts';
import { applyChange, type Change, changesOf, emptyState, type Message, type State } from './state.ts';
import { type Dispatch, NO_WEBHOOK_EVENTS, type SimulatorContext } from './context.ts';

export type DiscordOptions = {
  /** ms since 1970; Date.now by default. The clock triggers nothing: it is read on demand. */
  readonly clock?: () => number;
  readonly identity?: Partial<Identity>;
  /** The number of shards that `GET /gateway/bot` recommends, and max_concurrency; 1 by default. */
  readonly shards?: number;
  readonly maxConcurrency?: number;
  /** Earlier changes, as `changes()` returned them. */
  readonly past?: readonly Change[];
  /** The origin of file URLs, without a trailing slash. */
  readonly cdnUrl?: () => string;
  /**
   * Whether fields of messages and threads that Discord does not document are ignored, as Discord does: discord.js sends some with
   * each edit. By default they are refused, because ours would be mistakes.
   */
  readonly ignoresUnknownFields?: boolean;
};

/** A Discord in one object, without network and timers. */
export type Discord = Persons & {
  readonly identity: Identity;
  readonly context: SimulatorContext;
  readonly state: State;
  /** The first guild, and its channel `general`. */
  readonly guild: string;
  readonly channel: string;
  /** Messages of a channel as REST returns them, oldest first; with a person's ephemeral ones, if one is given. */
  messages(channel?: string, as?: string): Json[];
  /** Every change. Returns a function that stops listening. */
  onChange(listener: (change: Change) => void): () => void;
  /** Every gateway event: see README.md. Returns a function that stops listening. */
  onDispatch(listener: (dispatch: Dispatch) => void): () => void;
  /** The bot user, and `GUILD_CREATE` of each of its guilds: what follows READY. */
  ready(): { readonly user: Json; readonly guilds: readonly Dispatch[] };
  /** Resolves with the first defined result of `read`, called at once and after every change. */
  until<T>(read: () => T | undefined, signal?: AbortSignal): Promise<T>;
  /** The changes that rebuild this state. */
  changes(): Change[];
  /** Resets to the initial state. */
  reset(): void;
};

/** Builds a Discord: a guild with three people, two channels and a forum, and one without the bot. */
export function createDiscord(options: DiscordOptions = {}): Discord {
  const identity: Identity = { ...DEFAULT_IDENTITY, ...options.identity };
  const now = options.clock ?? Date.now;
  const context = contextOf(identity, now, options);
  furnish(context);
  for (const change of options.past ?? []) applyChange(context.state, change);
  return {
    ...personsOf(context),
    identity,
    context,
    state: context.state,
    guild: identity.guilds[0]?.id ?? GUILD,
    channel: identity.channels[0]?.id ?? GENERAL,
    messages: (channel = identity.channels[0]?.id ?? GENERAL, as?: string) =>
      [...(context.state.messages.get(channel)?.values() ?? [])]
        .filter((message) => sees(message, as))
        .map((message) => presentMessage(context, message)),
    onChange: (listener) => listen(context.onChange, listener),
    onDispatch: (listener) => listen(context.onDispatch, listener),
    ready: () => ({ user: presentUser(context, identity.applicationId), guilds: guildCreates(context) }),
    until: (read, signal) => until(context, read, signal),
    changes: () => changesOf(context.state),
    reset() {
      for (const map of Object.values(context.state)) map.clear();
      furnish(context);
    },
  };
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const sees = ({ ephemeralTo }: Message, as: string | undefined): boolean =>
  ephemeralTo === undefined || ephemeralTo === as;

function contextOf(identity: Identity, now: () => number, options: DiscordOptions): SimulatorContext {
  const { past = [], cdnUrl, shards = 1, maxConcurrency = 1, ignoresUnknownFields = false } = options;
  return {
    identity,
    now,
    state: emptyState(),
    ids: createSnowflakes(now, highest(past)),
    ignoresUnknownFields,
    cdnUrl: cdnUrl ?? (() => 'https://cdn.discordapp.com'),
    cdnKey: createHash('sha256').update(`files of ${identity.botToken}`).digest('hex'),
    portal: {
      publicKey: '',
      interactionsUrl: null,
      messageContent: identity.messageContent,
      changeInteractionsUrl: async () => false,
      webhookEvents: NO_WEBHOOK_EVENTS,
      verifyEventsUrl: async () => false,
    },
    gateway: {
      url: 'ws://gateway.invalid',
      total: 1_000,
      remaining: 1_000,
      resetAt: now(),
      shards,
      maxConcurrency,
    },
    onChange: new Set(),
    onDispatch: new Set(),
  };
}

/** People, guilds, channels, and the entry point command if Activities are on. */
function furnish(context: SimulatorContext): void {
  const { identity, state } = context;
  const { applicationId: id, botName } = identity;
  const bot = { id, username: botName.toLowerCase(), name: botName, bot: true };
  for (const user of [bot, ...identity.users]) applyChange(state, { kind: 'user', user });
  for (const guild of identity.guilds) applyChange(state, { kind: 'guild', guild });
  for (const channel of identity.channels) applyChange(state, { kind: 'channel', channel });
  if (identity.entryPoint)
    record(context, { kind: 'commands', scope: 'global', commands: [entryPoint(context)] });
}

function highest(past: readonly Change[]): bigint {
  const ids = past.flatMap((change) => {
    if (change.kind === 'message') return [change.message.id];
    if (change.kind === 'interaction') return [change.interaction.id];
    return change.kind === 'file' ? [change.file.id] : [];
  });
  return ids.map(BigInt).reduce((newest, id) => (id > newest ? id : newest), 0n);
}

function until<T>(context: SimulatorContext, read: () => T | undefined, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => {
      context.onChange.delete(look);
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = (): void => {
      stop();
      reject(new Error('What was waited for did not come'));
    };
    const look = (): void => {
      const value = read();
      if (value === undefined) return;
      stop();
      resolve(value);
    };
    context.onChange.add(look);
    signal?.addEventListener('abort', giveUp);
    look();
  });
}
