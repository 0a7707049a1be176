import type { Identity } from './identity.ts';
import { applyChange, type Change, type Channel, type Json, type Message, type State } from './state.ts';
import type { Ticks } from './ticks.ts';

/** An answer that Slack accepted, or refused with one of its error codes. */
export type ApiSuccess = { readonly ok: true } & Readonly<Record<string, unknown>>;
export type ApiFailure = {
  readonly ok: false;
  readonly error: string;
  /** Seconds to wait; with `error: 'ratelimited'` alone, and sent as HTTP 429. */
  readonly retryAfter?: number;
} & Readonly<Record<string, unknown>>;
export type ApiResponse = ApiSuccess | ApiFailure;

/** What an app gets delivered: Slack's outer envelope around one event. */
export type Envelope = Json & { readonly event_id: string; readonly event: Json };

/** For its own company alone, or for others without being in Slack's Marketplace. */
export type Distribution = 'internal' | 'outside-marketplace';

/** What the methods work on: the workspace's state, its time, and who hears of changes. */
export type SimulatorContext = {
  /** Which of several workspaces this is. */
  readonly nth: number;
  readonly identity: Identity;
  readonly now: () => number;
  readonly ticks: Ticks;
  readonly state: State;
  readonly options: {
    readonly mentionFirst: () => boolean;
    readonly sealAfterMs: number;
    readonly distribution: Distribution;
    /** Where files and answers to presses are fetched and sent, without a slash at the end. */
    readonly filesUrl: () => string;
    readonly hooksUrl: () => string;
  };
  /** What a press's `response_url` still allows, by its last part. */
  readonly responses: Map<string, Response>;
  /** What opens views, by `trigger_id`. */
  readonly triggers: Map<string, Trigger>;
  /** Files of the bot that it has asked about before, by id. */
  readonly filesAskedFor: Set<string>;
  readonly onChange: Set<(change: Change) => void>;
  readonly onEvent: Set<(envelope: Envelope) => void>;
};

export type Trigger = { readonly user: string; readonly until: number; readonly spent: boolean };

/** Where an answer to a press or a command goes. */
export type Response = {
  readonly channel: string;
  /** The message that it was on; absent for a command. */
  readonly ts: string | undefined;
  readonly user: string;
  readonly until: number;
  readonly left: number;
};

/** Slack says no; `code` is its error, `detail` goes into the answer beside it. */
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

/** Makes a change happen and tells those who listen. */
export function record(context: SimulatorContext, change: Change): void {
  applyChange(context.state, change);
  for (const listener of context.onChange) listener(change);
}

/** The channel that an id, a name or a person's id (their DM) stands for; `channel_not_found` otherwise. */
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

/** A channel that the bot is in; Slack hides private ones that it is not in, and refuses the public ones. */
export function ownChannel(context: SimulatorContext, name: string): Channel {
  const channel = channelNamed(context, name);
  if (channel.members.includes(context.identity.botUserId)) return channel;
  throw new RefusalError(channel.kind === 'channel' ? 'not_in_channel' : 'channel_not_found');
}

/** One message that is in the history; `message_not_found` otherwise. */
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

/** True while a stream takes more text: not stopped, and not yet sealed by Slack for its age. */
export function isStreaming(context: SimulatorContext, message: Message): boolean {
  return (
    message.stream?.open === true && context.now() - message.stream.startedAt < context.options.sealAfterMs
  );
}
