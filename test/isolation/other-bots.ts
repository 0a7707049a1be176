import type { Json } from '../simulators/discord/json.ts';
import { isJson } from '../simulators/discord/json.ts';
import { pick } from './commands.ts';
import type { IsolationHarness } from './harness.ts';

/** Other bots: administrators may let the first ask; nobody ever lets the second. */
const BOTS = {
  slack: ['B9ROBOT000', 'B9STRANGE0'],
  discord: ['909000000000000001', '909000000000000002'],
} as const;

export const ALLOWABLE = { slack: BOTS.slack[0], discord: BOTS.discord[0] } as const;

const BOT_SHARE = 0.08;

/** Mostly undefined: a person says it. Else the bot that does. */
export const someBot = ({ random }: IsolationHarness, platform: 'slack' | 'discord'): string | undefined =>
  random() < BOT_SHARE ? pick(random, BOTS[platform]) : undefined;

/** The event of a message, as Slack tells of it where a bot has written it. */
export function saidByBot(envelope: Json, bot: string | undefined): Json {
  const { event } = envelope;
  return bot === undefined || !isJson(event) ? envelope : { ...envelope, event: { ...event, bot_id: bot } };
}

/** The same for Discord: a bot is an author of its own there. */
export function writtenByBot(message: unknown, bot: string | undefined): unknown {
  if (bot === undefined || !isJson(message) || !isJson(message['author'])) return message;
  return { ...message, author: { ...message['author'], id: bot, bot: true } };
}
