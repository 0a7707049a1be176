import { discordEntry, discordEventsEntry } from './discord.ts';
import type { EntryPoint } from './entry-point.ts';
import { callbackEntry, installEntry } from './install-and-callback.ts';
import { queuesEntry } from './queues.ts';
import { relayEntry } from './relay.ts';
import { slackEntry } from './slack.ts';
import { storedEntry } from './stored-items.ts';
import { upstreamEntry } from './upstream.ts';

/** Every place where what others made comes in. Their shares are out of a hundred. */
export const ENTRY_POINTS: readonly EntryPoint[] = [
  slackEntry,
  discordEntry,
  discordEventsEntry,
  installEntry,
  callbackEntry,
  relayEntry,
  queuesEntry,
  storedEntry,
  upstreamEntry,
];
