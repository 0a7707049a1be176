import * as v from 'valibot';
import { type RawGuild, type RawMessage, rawMessages } from '../events/payload-schemas.ts';
import type { GatewayReads } from '../rest-reads.ts';
import { isNewer } from './watermark.ts';
import { msToSnowflake, snowflakeToMs } from '../../../../utils/index.ts';

/** The limits of a backfill: no messages older than a day, and per channel the oldest three hundred. */
const BACKFILL_LIMITS = { ageMs: 24 * 3_600_000, channels: 200, pages: 3, page: 100 } as const;

export type BackfillDeps = {
  /** Resolves with undefined if the bot may not read them. Never rejects. */
  readonly messages: GatewayReads['messages'];
  readonly now: () => number;
  /** Handles one old message, in the order of its channel. Must not reject. */
  readonly handle: (message: RawMessage) => Promise<void>;
  readonly log: (event: string, facts: Readonly<Record<string, string | number>>) => void;
};

/** The id after which messages are backfilled. */
export const backfillStart = (gap: string, now: number): string =>
  msToSnowflake(Math.max(snowflakeToMs(gap), now - BACKFILL_LIMITS.ageMs));

/** Forums and media channels have posts, which are threads, but no messages: their `last_message_id` is that of their newest post. */
const WITHOUT_MESSAGES: ReadonlySet<number> = new Set([15, 16]);

/** The channels and threads of a guild with messages since then, the most recently active first. */
export function listChannelsSince(
  { channels, threads }: Pick<RawGuild, 'channels' | 'threads'>,
  since: string,
): string[] {
  return [...(channels ?? []), ...(threads ?? [])]
    .filter(({ last_message_id: last, type }) => last && isNewer(last, since) && !WITHOUT_MESSAGES.has(type))
    .toSorted((a, b) => (isNewer(a.last_message_id ?? '0', b.last_message_id ?? '0') ? -1 : 1))
    .map(({ id }) => id);
}

/** Reads the messages of these channels since then. Skips channels that the bot may not read. Never rejects. */
export async function backfillChannels(
  channels: readonly string[],
  since: string,
  deps: BackfillDeps,
): Promise<void> {
  if (channels.length > BACKFILL_LIMITS.channels) {
    deps.log('gateway.backfill-truncated', { reason: 'channels', count: channels.length });
  }
  for (const channel of channels.slice(0, BACKFILL_LIMITS.channels))
    await backfillChannel(channel, since, deps);
}

async function backfillChannel(
  channel: string,
  since: string,
  { messages: read, handle, log }: BackfillDeps,
): Promise<void> {
  let after = since;
  for (let page = 0; page < BACKFILL_LIMITS.pages; page += 1) {
    const { success, output: data } = v.safeParse(
      rawMessages,
      await read(channel, after, BACKFILL_LIMITS.page),
    );
    if (!success) return;
    const messages = data.toSorted((a, b) => (isNewer(a.id, b.id) ? 1 : -1));
    for (const message of messages) await handle(message);
    const newest = messages.at(-1);
    if (!newest || messages.length < BACKFILL_LIMITS.page) return;
    after = newest.id;
  }
  log('gateway.backfill-truncated', { reason: 'messages', channel });
}
