import { CHANNEL } from './flags.ts';
import { isJson, type Json } from './json.ts';
import { rolesOf } from './permissions.ts';
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

const ROLE_MENTION = /<@&(\d+)>/g;

/** The roles in a person's message. The app's own messages mention none: it never allows that. */
export function namedRoles(context: SimulatorContext, { author, channel, content }: Message): string[] {
  const guild = context.state.guilds.get(context.state.channels.get(channel)?.guild ?? '');
  if (!guild || author === context.identity.applicationId) return [];
  const known = new Set(rolesOf(context, guild).map(({ id }) => id));
  const ids = [...content.matchAll(ROLE_MENTION)].flatMap(([, id = '']) => (known.has(id) ? [id] : []));
  return [...new Set(ids)];
}

/**
 * Whether the bot may read a message's content without the intent MESSAGE_CONTENT: its own, in a DM, one that mentions it (not its role), or one
 * that replies with a ping to a message of the bot that is no response to an interaction. See docs:gateway/you-might-not-need-a-privileged-intent.
 */
export function isOpen(context: SimulatorContext, message: Message): boolean {
  const { identity, state } = context;
  const { applicationId } = identity;
  if (message.author === applicationId || message.webhook === applicationId) return true;
  if (state.channels.get(message.channel)?.type === CHANNEL.dm) return true;
  if (namedBy(context, message.content).mentions.includes(applicationId)) return true;
  const { message: answeredId = '', channel = '' } = message.reference ?? {};
  const answered = state.messages.get(channel)?.get(answeredId);
  return (
    message.mentions.includes(applicationId) && answered !== undefined && answered.interaction === undefined
  );
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
