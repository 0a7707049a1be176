import { type TurnRef, userId } from '../../../domain/index.ts';
import { keepNewestMessages } from '../../index.ts';
import type { EarlierMessages } from '../../ports/index.ts';
import type { SlackDeps } from '../deps.ts';
import { isBot } from '../api/payload-fields.ts';
import { getLongRateLimitWaitMs } from './history-limit.ts';
import type { FindBotIdentity } from './bot-identity.ts';
import { retrySlack } from '../api/retry.ts';
import type { FindDisplayName } from './display-name.ts';
import { nameMentions, limitNameLookups } from './mentions.ts';
import { readLastRepliesBefore } from './thread-pages.ts';
import { parseSpokenMessage, type SpokenMessage, getSpokenText } from '../inbound/spoken-messages.ts';
import { getRefusalReason } from '../api/errors.ts';

const MAX_MESSAGES = 50;
const MAX_NAME_LENGTH = 80;
/** The answer waits for this read, so it does not wait out the one minute rate limit of apps outside of the Marketplace. */
const TIMEOUT_MS = 8_000;

export type ThreadHistoryDeps = Pick<SlackDeps, 'call' | 'log' | 'time'> & {
  readonly whoAmI: FindBotIdentity;
  readonly nameOf: FindDisplayName;
};

/**
 * Reads the messages of a thread before the question, oldest first: of the last 50 those that `keepNewestMessages` keeps. If a rate
 * limit stops the read, the start of the thread. Empty if the app may not read or Slack does not respond in time. Never throws.
 */
export async function readEarlierMessages(deps: ThreadHistoryDeps, turn: TurnRef): Promise<EarlierMessages> {
  const retryOptions = { time: deps.time, deadline: deps.time.now() + TIMEOUT_MS };
  try {
    const [{ items: picked, retryAfterMs }, self] = await Promise.all([
      readLastRepliesBefore(deps, turn, {
        pick: (one) => messageBefore(one, turn),
        maxItems: MAX_MESSAGES,
        deadline: retryOptions.deadline,
      }),
      retrySlack(deps.whoAmI, retryOptions),
    ]);
    const texts = picked.map((one) => getSpokenText(one, self.user));
    const [words, authors] = await limitNameLookups(deps.nameOf, deps.time, (nameOf) =>
      Promise.all([
        nameMentions(texts, nameOf),
        Promise.all(picked.map(async (one) => await getAuthorName(one, nameOf))),
      ]),
    );
    const messages = picked.map((one, index) => ({
      author: (authors[index] ?? '').slice(0, MAX_NAME_LENGTH).toWellFormed(),
      text: words[index] ?? '',
      at: Math.round(Number(one.ts) * 1_000),
      ...(one.user !== undefined && { by: userId(one.user) }),
      ...(isBot(one) && { isBot: true }),
    }));
    return { messages: keepNewestMessages(messages.filter((one) => one.text !== '')), retryAfterMs };
  } catch (error) {
    deps.log?.('slack.history-read-failed', { reason: getRefusalReason(error) });
    return { messages: [], retryAfterMs: getLongRateLimitWaitMs(error) };
  }
}

function messageBefore(value: unknown, turn: TurnRef): SpokenMessage[] {
  const message = parseSpokenMessage(value);
  return message && message.ts < turn.message ? [message] : [];
}

async function getAuthorName({ user, botName }: SpokenMessage, nameOf: FindDisplayName): Promise<string> {
  if (botName !== undefined) return botName;
  return user === undefined ? 'someone' : await nameOf(user);
}
