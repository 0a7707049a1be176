import * as v from 'valibot';
import { contentFields, getDisplayedText } from './message-content.ts';
import { readText } from './plain-text.ts';

/** Undefined also for null: of old webhooks, Slack sends fields as null (ubie-oss/slack-mcp-server#19, avito-tech/avito-android#683). */
const maybe = <const S extends v.GenericSchema>(schema: S) => v.nullish(schema, () => undefined);
const text = maybe(v.string());
const shape = v.object({
  ts: v.string(),
  thread_ts: text,
  subtype: text,
  user: text,
  username: text,
  bot_profile: maybe(v.object({ name: text })),
  hidden: maybe(v.boolean()),
  reply_count: maybe(v.number()),
  latest_reply: text,
  files: maybe(v.array(v.looseObject({ name: v.nullish(v.string()) }))),
  ...contentFields,
  /** Of many people who react, Slack lists only some. It does not tell when. */
  reactions: maybe(v.array(v.object({ users: v.nullish(v.array(v.string()), []) }))),
});

/** Subtypes of messages that people or bots write. All others are about joins, deletions and so on. */
const SPOKEN: ReadonlySet<string> = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message']);

/** A message of a person or a bot, as Slack lists it. */
export type SpokenMessage = v.InferOutput<typeof shape> & {
  /** The name that a bot gives itself. */
  readonly botName: string | undefined;
  /** A reply that is also shown in the channel. */
  readonly isBroadcast: boolean;
};

/** Parses a message of a list. Undefined if it has no author, such as a join. */
export function parseSpokenMessage(value: unknown): SpokenMessage | undefined {
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

/** The text of a message with the names of its files. Mentions of `self`, the bot, are left out. */
export function getSpokenText(message: SpokenMessage, self: string): string {
  const { user, text: ownText, files = [] } = message;
  // Below an answer of the bot are buttons and notes.
  const words = readText(user === self && ownText ? ownText : getDisplayedText(message), self);
  const names = files.map(({ name }) => name ?? 'a file').join(', ');
  return names === '' ? words : `${words} (with ${names})`.trim();
}
