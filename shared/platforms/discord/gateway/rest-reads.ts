/** What the relay asks of Discord's REST API. Answers are not yet validated. */
export interface Reads {
  /** What Discord says of its gateway. Rejects with `UnauthorizedError` when the token is not valid. */
  gateway(): Promise<GatewayInfo>;
  // Those below resolve with undefined for what is not there, with FORBIDDEN for what the bot may not read, which may well be
  // there, and reject when Discord cannot be asked now.

  /** The oldest messages after this one, at most `limit` (100 or fewer) of them. */
  messages(channel: string, after: string, limit: number): Promise<unknown>;
  channel(id: string): Promise<unknown>;
  message(channel: string, id: string): Promise<unknown>;
}

/** The bot lacks a permission to read it. */
export const FORBIDDEN = Symbol('forbidden');

/** See docs:events/gateway#get-gateway-bot. */
export type GatewayInfo = {
  /** How many shards Discord recommends. */
  readonly shards: number;
  /** How many sessions may still be begun, and when there are all of them again. */
  readonly remaining: number;
  readonly resetAfterMs: number;
  /** How many shards may identify within five seconds: of those with the same remainder by it one at a time. */
  readonly maxConcurrency: number;
};

/** Discord does not take the token. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
}
