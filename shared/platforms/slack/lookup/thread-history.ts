import { type TurnRef, userId } from '../../../domain/index.ts';
import type { ThreadMessage, EarlierMessages } from '../../ports/platform.ts';
import type { SlackDeps } from '../deps.ts';
import { rateLimitOf } from './history-limit.ts';
import type { WhoAmI } from './bot-identity.ts';
import { retrySlack } from '../api/retry.ts';
import type { NameOf } from './display-name.ts';
import { lastRepliesBefore } from './thread-pages.ts';
import { isSpoken, type SpokenMessage, spokenWords } from '../inbound/spoken-messages.ts';
import { refusalReason } from '../posts/ephemeral.ts';

const MESSAGES = 50;
const CHARACTERS = 12_000;
const MAX_NAME_LENGTH = 80;
/** The answer waits for this, and not for the minute that Slack makes apps wait which are outside of its Marketplace. */
const TIMEOUT_MS = 8_000;

export type EarlierDeps = Pick<SlackDeps, 'call' | 'log' | 'time'> & {
  readonly whoAmI: WhoAmI;
  readonly nameOf: NameOf;
};

/**
 * What was said in the thread before the question, oldest first: the last 50 messages of it, and of those the last
 * 12,000 characters. Of a longer thread than Slack lets the app read now, its beginning. Empty where the app may not read, or Slack does
 * not answer in time. Never throws.
 */
export async function readEarlierMessages(deps: EarlierDeps, turn: TurnRef): Promise<EarlierMessages> {
  const patience = { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS };
  try {
    const [{ picked, retryAfterMs }, self] = await Promise.all([
      lastRepliesBefore(deps, turn, {
        pick: (one) => spokenBefore(one, turn),
        most: MESSAGES,
        deadline: patience.deadline,
      }),
      retrySlack(deps.whoAmI, patience),
    ]);
    const said = await Promise.all(
      picked.map(async (one) => ({
        author: (await authorOf(one, deps.nameOf)).slice(0, MAX_NAME_LENGTH).toWellFormed(),
        text: spokenWords(one, self.user),
        at: Math.round(Number(one.ts) * 1_000),
        ...(one.user !== undefined && { by: userId(one.user) }),
        ...(one.bot_id !== undefined && { isBot: true }),
      })),
    );
    return { said: newest(said.filter((one) => one.text !== '')), retryAfterMs };
  } catch (error) {
    deps.log?.('slack.history-read-failed', { reason: refusalReason(error) });
    return { said: [], retryAfterMs: rateLimitOf(error) };
  }
}

function spokenBefore(value: unknown, turn: TurnRef): SpokenMessage[] {
  const message = isSpoken(value);
  return message && message.ts < turn.message ? [message] : [];
}

async function authorOf({ user, botName }: SpokenMessage, nameOf: NameOf): Promise<string> {
  if (botName !== undefined) return botName;
  return user === undefined ? 'someone' : await nameOf(user);
}

/** The last that fit. The very last is cut rather than left out. */
function newest(said: readonly ThreadMessage[]): ThreadMessage[] {
  const kept: ThreadMessage[] = [];
  let room = CHARACTERS;
  for (const one of said.toReversed()) {
    room -= one.author.length + one.text.length;
    if (room < 0 && kept.length > 0) break;
    kept.unshift(room < 0 ? { ...one, text: `${one.text.slice(0, room - 1).toWellFormed()}…` } : one);
    if (room < 0) break;
  }
  return kept;
}
