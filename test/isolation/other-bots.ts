import type { Json } from '../simulators/discord/json.ts';
import { isJson } from '../simulators/discord/json.ts';
import { pick } from './commands.ts';
import type { IsolationHarness } from './harness.ts';

/** Other bots: administrators may allow the first; nobody ever allows the second. */
const BOTS = {
  slack: ['B9ROBOT000', 'B9STRANGE0'],
  discord: ['909000000000000001', '909000000000000002'],
} as const;

export const ALLOWABLE = { slack: BOTS.slack[0], discord: BOTS.discord[0] } as const;

const BOT_SHARE = 0.08;

/** Mostly undefined for a person, otherwise the id of a bot. */
export const someBot = ({ random }: IsolationHarness, platform: 'slack' | 'discord'): string | undefined =>
  random() < BOT_SHARE ? pick(random, BOTS[platform]) : undefined;

/** A Slack message event with a bot as its author. */
export function saidByBot(envelope: Json, bot: string | undefined): Json {
  const { event } = envelope;
  return bot === undefined || !isJson(event) ? envelope : { ...envelope, event: { ...event, bot_id: bot } };
}

/** A Discord message event with a bot as its author. */
export function writtenByBot(message: unknown, bot: string | undefined): unknown {
  if (bot === undefined || !isJson(message) || !isJson(message['author'])) return message;
  return { ...message, author: { ...message['author'], id: bot, bot: true } };
}
