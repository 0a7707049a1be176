import * as v from 'valibot';
import { type RawGuild, type RawMessage, rawMessages } from '../events/payload-schemas.ts';
import type { Reads } from '../rest-reads.ts';
import { isNewer } from './watermark.ts';
import { msToSnowflake } from '../../../../utils/snowflake.ts';
import { snowflakeToMs } from '../../../../utils/snowflake.ts';

/** The limits of a backfill: no messages older than a day, and per channel the oldest three hundred. */
const BOUNDS = { ageMs: 24 * 3_600_000, channels: 200, pages: 3, page: 100 } as const;

export type BackfillDeps = {
  /** Resolves with undefined if the bot may not read them. Never rejects. */
  readonly messages: Reads['messages'];
  readonly now: () => number;
  /** Handles one old message, in the order of its channel. Must not reject. */
  readonly take: (message: RawMessage) => Promise<void>;
  readonly log: (event: string, facts: Readonly<Record<string, string | number>>) => void;
};

/** The id after which messages are backfilled. */
export const sinceOf = (gap: string, now: number): string =>
  msToSnowflake(Math.max(snowflakeToMs(gap), now - BOUNDS.ageMs));

/** The channels and threads of a guild with messages since then, the most recently active first. */
export function channelsSince(
  { channels, threads }: Pick<RawGuild, 'channels' | 'threads'>,
  since: string,
): string[] {
  return [...(channels ?? []), ...(threads ?? [])]
    .filter(({ last_message_id: last }) => last && isNewer(last, since))
    .toSorted((a, b) => (isNewer(a.last_message_id ?? '0', b.last_message_id ?? '0') ? -1 : 1))
    .map(({ id }) => id);
}

/** Reads the messages of these channels since then. Skips channels that the bot may not read. Never rejects. */
export async function backfill(
  channels: readonly string[],
  since: string,
  deps: BackfillDeps,
): Promise<void> {
  if (channels.length > BOUNDS.channels) {
    deps.log('gateway.backfill-truncated', { reason: 'channels', count: channels.length });
  }
  for (const channel of channels.slice(0, BOUNDS.channels)) await catchUpOne(channel, since, deps);
}

async function catchUpOne(
  channel: string,
  since: string,
  { messages: read, take, log }: BackfillDeps,
): Promise<void> {
  let after = since;
  for (let page = 0; page < BOUNDS.pages; page += 1) {
    const { success, output: data } = v.safeParse(rawMessages, await read(channel, after, BOUNDS.page));
    if (!success) return;
    const messages = data.toSorted((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
    for (const message of messages) await take(message);
    const newest = messages.at(-1);
    if (!newest || messages.length < BOUNDS.page) return;
    after = newest.id;
  }
  log('gateway.backfill-truncated', { reason: 'messages', channel });
}
