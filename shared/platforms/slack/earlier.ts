import * as v from 'valibot';
import type { TurnRef } from '../../conversation/index.ts';
import type { Said } from '../platform.ts';
import { SlackRefused } from './call.ts';
import type { SlackDeps } from './deps.ts';
import type { WhoAmI } from './identity.ts';
import { mayNotRead } from './may-not-read.ts';
import { persist } from './patience.ts';
import type { NameOf } from './names.ts';
import { lastRepliesBefore } from './replies.ts';
import { reasonOf } from './whisper.ts';
import { readWords } from './words.ts';

const MESSAGES = 50;
const CHARACTERS = 12_000;
const LONGEST_NAME = 80;
/** The answer waits for this. Apps that Slack slows down to a page a minute do without. */
const WITHIN_MS = 8_000;

const text = v.optional(v.string());
const message = v.object({
  ts: v.string(),
  text,
  subtype: text,
  user: text,
  username: text,
  bot_id: text,
  bot_profile: v.optional(v.object({ name: text })),
  hidden: v.optional(v.boolean()),
  files: v.optional(v.array(v.object({ name: v.nullish(v.string()) }))),
});
type Message = v.InferOutput<typeof message>;

/** What people say; all other subtypes tell of arrivals, deletions and the like. */
const SPOKEN = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

export type EarlierDeps = Pick<SlackDeps, 'call' | 'log' | 'time'> & {
  readonly whoAmI: WhoAmI;
  readonly nameOf: NameOf;
};

/**
 * What was said in the thread before the question, oldest first: the last 50 messages of it, and of those the last
 * 12,000 characters. Empty where Slack does not answer in time, undefined where the app may not read. Never throws.
 */
export async function readEarlier(deps: EarlierDeps, turn: TurnRef): Promise<Said[] | undefined> {
  const patience = { time: deps.time, deadline: deps.time.now() + WITHIN_MS };
  try {
    const [messages, self] = await Promise.all([
      lastRepliesBefore(deps, turn, {
        pick: (one) => spokenBefore(one, turn),
        most: MESSAGES,
        deadline: patience.deadline,
      }),
      persist(deps.whoAmI, patience),
    ]);
    const said = await Promise.all(
      messages.map(async (one) => ({
        author: (await authorOf(one, deps.nameOf)).slice(0, LONGEST_NAME).toWellFormed(),
        text: wordsOf(one, self.user),
      })),
    );
    return newest(said.filter((one) => one.text !== ''));
  } catch (error) {
    deps.log?.('slack.earlier_unread', { reason: reasonOf(error) });
    return mayNotRead(error) || isNotThere(error) ? undefined : [];
  }
}

/** Of private channels Slack does not say that they are there. */
const isNotThere = (error: unknown): boolean =>
  error instanceof SlackRefused && (error.code === 'not_in_channel' || error.code === 'channel_not_found');

function spokenBefore(value: unknown, turn: TurnRef): Message[] {
  const parsed = v.safeParse(message, value);
  if (!parsed.success) return [];
  const { ts, subtype, hidden } = parsed.output;
  if (hidden || ts >= turn.message || (subtype !== undefined && !SPOKEN.has(subtype))) return [];
  return [parsed.output];
}

async function authorOf({ user, username, bot_profile: bot }: Message, nameOf: NameOf): Promise<string> {
  const own = bot?.name ?? username;
  if (own !== undefined && own !== '') return own;
  return user === undefined ? 'someone' : await nameOf(user);
}

function wordsOf({ text: words = '', files = [] }: Message, bot: string): string {
  const said = readWords(words, bot);
  const names = files.map(({ name }) => name ?? 'a file').join(', ');
  return names === '' ? said : `${said} (with ${names})`.trim();
}

/** The last that fit. The very last is cut rather than left out. */
function newest(said: readonly Said[]): Said[] {
  const kept: Said[] = [];
  let room = CHARACTERS;
  for (const one of said.toReversed()) {
    room -= one.author.length + one.text.length;
    if (room < 0 && kept.length > 0) break;
    kept.unshift(room < 0 ? { ...one, text: `${one.text.slice(0, room - 1).toWellFormed()}…` } : one);
    if (room < 0) break;
  }
  return kept;
}
