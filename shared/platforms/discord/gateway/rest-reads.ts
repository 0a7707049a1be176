/** The REST requests of the relay. Responses are not validated yet. */
export interface GatewayReads {
  /** Returns the shard count and session limits. Rejects with UnauthorizedError if the token is invalid. */
  gateway(): Promise<GatewayInfo>;
  // The methods below resolve with undefined if the resource does not exist, and with FORBIDDEN if the bot may not read it. They reject if
  // Discord does not respond.

  /** Returns the oldest messages after this one, at most `limit` (maximum 100). */
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
  /** How many sessions may still be started, and when the limit resets. */
  readonly remaining: number;
  readonly resetAfterMs: number;
  /** How many shards may identify within five seconds: one of those whose ids have the same remainder modulo this number. */
  readonly maxConcurrency: number;
};

/** Discord rejects the token. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
}
