import * as v from 'valibot';
import { readText } from './plain-text.ts';

const text = v.optional(v.string());
const shape = v.object({
  ts: v.string(),
  thread_ts: text,
  text,
  subtype: text,
  user: text,
  username: text,
  bot_id: text,
  bot_profile: v.optional(v.object({ name: text })),
  hidden: v.optional(v.boolean()),
  reply_count: v.optional(v.number()),
  latest_reply: text,
  files: v.optional(v.array(v.object({ name: v.nullish(v.string()) }))),
});

/** What people say; all other subtypes tell of arrivals, deletions and the like. */
const SPOKEN: ReadonlySet<string> = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

/** Something that a person or a bot said, as Slack lists it. */
export type SpokenMessage = v.InferOutput<typeof shape> & {
  /** By which a bot calls itself. */
  readonly botName: string | undefined;
  /** A reply that stands in the channel too. */
  readonly isBroadcast: boolean;
};

/** Reads a message of a list; undefined where nobody says anything in it. */
export function isSpoken(value: unknown): SpokenMessage | undefined {
  const { success, output } = v.safeParse(shape, value);
  if (!success) return undefined;
  const { subtype, hidden, bot_profile: bot, username } = output;
  if (hidden || (subtype !== undefined && !SPOKEN.has(subtype))) return undefined;
  const botName = bot?.name ?? username;
  return {
    ...output,
    botName: botName === '' ? undefined : botName,
    isBroadcast: subtype === 'thread_broadcast',
  };
}

/** The words of a message, with the names of its files. `self`: the bot, whose mentions are left out. */
export function spokenWords({ text: words = '', files = [] }: SpokenMessage, self: string): string {
  const said = readText(words, self);
  const names = files.map(({ name }) => name ?? 'a file').join(', ');
  return names === '' ? said : `${said} (with ${names})`.trim();
}
