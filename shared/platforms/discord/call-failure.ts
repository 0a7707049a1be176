import { type Failure, persistent } from '../patience.ts';
import { ThreadGone } from '../platform.ts';
import { CODES, DiscordBusy, DiscordNotYet, DiscordRefused } from './call.ts';

/** Reads what is known from what a DiscordCall rejected with. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DiscordBusy) return { kind: 'busy', waitMs: error.retryAfterMs };
  if (error instanceof DiscordNotYet) return { kind: 'transient' };
  if (error instanceof ThreadGone) return { kind: 'refused', code: 'thread-gone' };
  return error instanceof DiscordRefused
    ? { kind: 'refused', code: String(error.code) }
    : { kind: 'unknown' };
}

const DEAD: ReadonlySet<number> = new Set([
  CODES.unknownWebhook,
  CODES.unknownInteraction,
  CODES.invalidWebhookToken,
]);

/** Whether a ticket is worth nothing any more. Asked again and again, Discord would take it for abuse. */
export const isDeadTicket = (error: unknown): error is DiscordRefused =>
  error instanceof DiscordRefused && DEAD.has(error.code);

export const hasCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof DiscordRefused && codes.includes(error.code);

/** What may be written down of a failed call. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

/** Repeats a call that is harmless to repeat until it succeeds, is refused for good, or time runs out. */
export const persist = persistent(failureOf);
