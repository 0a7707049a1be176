import { isJson, type Json } from './json.ts';
import type { Channel, Message } from './state.ts';
import type { SimulatorContext } from './context.ts';

/** The people whom a message notifies. */
export type Notified = { readonly mentions: string[]; readonly everyone: boolean };

const MENTION = /<@!?(\d+)>/g;

/** The mentions in a person's message; everybody may mention everyone. */
export function namedBy(context: SimulatorContext, content: string): Notified {
  const userIds = [...content.matchAll(MENTION)].flatMap(([, id = '']) =>
    context.state.users.has(id) ? [id] : [],
  );
  return { mentions: [...new Set(userIds)], everyone: /@(?:everyone|here)\b/.test(content) };
}

/**
 * The mentions of a message of the app. Without `allowed_mentions` a message of the bot notifies everybody it
 * mentions, and one by an interaction only people.
 */
export function notified(
  context: SimulatorContext,
  content: string,
  json: Json,
  byInteraction: boolean,
): Notified {
  const allowed = json['allowed_mentions'];
  const recipients = namedBy(context, content);
  if (!isJson(allowed)) return { ...recipients, everyone: recipients.everyone && !byInteraction };
  const parse: readonly unknown[] = Array.isArray(allowed['parse']) ? allowed['parse'] : [];
  const users: readonly unknown[] = Array.isArray(allowed['users']) ? allowed['users'] : [];
  return {
    mentions: recipients.mentions.filter((id) => parse.includes('users') || users.includes(id)),
    everyone: recipients.everyone && parse.includes('everyone'),
  };
}

/** The notification by a reply: the author of the message, unless `replied_user` is false. */
export function answeredBy(
  context: SimulatorContext,
  channel: Channel,
  json: Json,
  to: string | undefined,
): string[] {
  const author: Message | undefined = context.state.messages.get(channel.id)?.get(to ?? '');
  if (!author) return [];
  const allowed = json['allowed_mentions'];
  // With `allowed_mentions` the default of `replied_user` is false.
  return isJson(allowed) && allowed['replied_user'] !== true ? [] : [author.author];
}
