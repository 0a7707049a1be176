import { apiEntry } from './api.ts';
import { discordEntry, discordEventsEntry } from './discord.ts';
import type { EntryPoint } from './entry-point.ts';
import { callbackEntry, installEntry } from './install-and-callback.ts';
import { queuesEntry } from './queues.ts';
import { relayEntry } from './relay.ts';
import { slackEntry } from './slack.ts';
import { storedEntry } from './stored-items.ts';
import { upstreamEntry } from './upstream.ts';

/** All places that accept data from outside. Their shares add up to 100. */
export const ENTRY_POINTS: readonly EntryPoint[] = [
  slackEntry,
  discordEntry,
  discordEventsEntry,
  apiEntry,
  installEntry,
  callbackEntry,
  relayEntry,
  queuesEntry,
  storedEntry,
  upstreamEntry,
];
