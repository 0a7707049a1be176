import type { Identity } from './identity.ts';
import { applyChange, type Change, type Channel, type Json, type Message, type State } from './state.ts';
import type { Ticks } from './ticks.ts';

/** A response of Slack: success, or one of its error codes. */
export type ApiSuccess = { readonly ok: true } & Readonly<Record<string, unknown>>;
export type ApiFailure = {
  readonly ok: false;
  readonly error: string;
  /** The retry time in seconds; only with `error: 'ratelimited'`, and sent as HTTP 429. */
  readonly retryAfter?: number;
} & Readonly<Record<string, unknown>>;
export type ApiResponse = ApiSuccess | ApiFailure;

/** A delivery to an app: Slack's envelope around one event. */
export type Envelope = Json & { readonly event_id: string; readonly event: Json };

/** For its own organization only, or for others without being in Slack's Marketplace. */
export type Distribution = 'internal' | 'outside-marketplace';

/** The context of the methods: the workspace's state, its clock, and the listeners for changes. */
export type SimulatorContext = {
  /** The index of this workspace. */
  readonly nth: number;
  readonly identity: Identity;
  readonly now: () => number;
  readonly ticks: Ticks;
  readonly state: State;
  readonly options: {
    readonly mentionFirst: () => boolean;
    readonly mentionHasFiles: () => boolean;
    readonly sealAfterMs: number;
    readonly distribution: Distribution;
    /** The origin of files and response URLs, without a trailing slash. */
    readonly filesUrl: () => string;
    readonly hooksUrl: () => string;
  };
  /** The remaining uses of a click's `response_url`, by its last path part. */
  readonly responses: Map<string, Response>;
  /** What events gave to the app, by token. */
  readonly actionTokens: Map<string, ActionToken>;
  /** The refusal of all requests after the app was removed, and how often it was. */
  readonly access: {
    refusal: 'account_inactive' | 'team_access_not_granted' | undefined;
    removals: number;
  };
  /** Triggers that can open views, by `trigger_id`. */
  readonly triggers: Map<string, Trigger>;
  /** Files of the bot that it has already requested, by id. */
  readonly filesAskedFor: Set<string>;
  readonly onChange: Set<(change: Change) => void>;
  readonly onEvent: Set<(envelope: Envelope) => void>;
};

/** Whom a token of an event stands for, and until when (ms since 1970). */
export type ActionToken = { readonly user: string; readonly until: number };

export type Trigger = { readonly user: string; readonly until: number; readonly spent: boolean };

/** The target of a response to a click or a command. */
export type Response = {
  readonly channel: string;
  /** The clicked message; absent for a command. */
  readonly ts: string | undefined;
  readonly user: string;
  readonly until: number;
  readonly left: number;
};

/** A refusal; `code` is Slack's error, `detail` is added to the response. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly code: string;
  readonly detail: Readonly<Record<string, unknown>>;
  constructor(code: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** Applies a change and notifies listeners. */
export function record(context: SimulatorContext, change: Change): void {
  applyChange(context.state, change);
  for (const listener of context.onChange) listener(change);
}

/** The channel of an id, a name or a person's id (their DM); `channel_not_found` otherwise. */
export function channelNamed(context: SimulatorContext, name: string): Channel {
  const direct = context.state.channels.get(name);
  if (direct) return direct;
  const plain = name.replace(/^#/, '');
  for (const channel of context.state.channels.values()) {
    if (channel.kind !== 'im' && channel.name === plain) return channel;
    if (channel.kind === 'im' && channel.members.includes(name) && name !== context.identity.botUserId)
      return channel;
  }
  throw new RefusalError('channel_not_found');
}

/** The channel of an id. Names, and ids of people for their DM, are for `chat.postMessage` and `chat.postEphemeral` alone. */
export function channelOf(context: SimulatorContext, id: string): Channel {
  const channel = context.state.channels.get(id);
  if (channel) return channel;
  throw new RefusalError('channel_not_found');
}

/** A channel with the bot; Slack hides private ones without it, and refuses public ones. `find`: whether a name will do. */
export function ownChannel(context: SimulatorContext, name: string, find = channelOf): Channel {
  const channel = find(context, name);
  if (channel.members.includes(context.identity.botUserId)) return channel;
  throw new RefusalError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
}

/** The same for what changes something there: Slack refuses it in an archived channel (`is_archived`). */
export function writableChannel(context: SimulatorContext, name: string, find = channelOf): Channel {
  const channel = ownChannel(context, name, find);
  if (channel.archived) throw new RefusalError('is_archived');
  return channel;
}

/** A message in the history; `message_not_found` otherwise. */
export function messageAt(
  context: SimulatorContext,
  channel: Channel,
  ts: string,
  code = 'message_not_found',
): Message {
  const message = context.state.messages.get(channel.id)?.get(ts);
  if (!message || message.ephemeralTo !== undefined) throw new RefusalError(code);
  return message;
}

/** True while a stream accepts text: neither stopped, nor closed by Slack because of its age. */
export function isStreaming(context: SimulatorContext, message: Message): boolean {
  return (
    message.stream?.open === true && context.now() - message.stream.startedAt < context.options.sealAfterMs
  );
}
