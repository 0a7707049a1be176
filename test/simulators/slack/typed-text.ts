import type { Identity } from './identity.ts';
import type { Channel, Json } from './state.ts';

/** Parts of a typed text: code stays unchanged, the rest may contain mentions and links. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
const TOKEN = /(<@[UW][A-Z0-9]+>|<#C[A-Z0-9]+>|https?:\/\/[^\s<>|]+|@[a-z][a-z0-9_-]*)/i;

/**
 * Converts typed text as Slack does: `@name` becomes `<@U…>`, URLs become `<https://…>`, `&`, `<` and `>` become
 * entities. Mentions in Slack's form stay.
 */
export function typed(text: string, identity: Identity): string {
  return text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? escapeEntities(part) : typedProse(part, identity)))
    .join('');
}

function typedProse(prose: string, identity: Identity): string {
  return prose
    .split(TOKEN)
    .map((part, index) => {
      if (index % 2 === 0) return escapeEntities(part);
      if (part.startsWith('<')) return part;
      if (part.startsWith('@')) return mentionOf(part.slice(1), identity) ?? part;
      return `<${escapeEntities(part)}>`;
    })
    .join('');
}

function mentionOf(name: string, identity: Identity): string | undefined {
  const lowerName = name.toLowerCase();
  if (lowerName === identity.botName) return `<@${identity.botUserId}>`;
  const person = identity.users.find((user) => user.name === lowerName);
  return person && `<@${person.id}>`;
}

/** A mention in a command; a typed `<@U1>` is not one there. */
const COMMAND_TOKEN = /(https?:\/\/[^\s<>|"“”]+|[@#][\p{L}\p{N}][\p{L}\p{N}._-]*)/iu;
const SPECIAL = new Set(['here', 'channel', 'everyone']);

type Named = { readonly identity: Identity; readonly channels: Iterable<Channel>; readonly user: string };

/**
 * What Slack makes of the words behind a slash command whose manifest says `should_escape`: people, groups and channels that
 * there are become their ids, private channels without their name, addresses stand in angle brackets, and `&`, `<` and `>`
 * become entities. Who is not there stays as typed. Source: docs.slack.dev/interactivity/implementing-slash-commands.
 */
export function typedInCommand(text: string, namesById: Named): string {
  return text
    .split(COMMAND_TOKEN)
    .map((part, index) => (index % 2 === 0 ? escapeEntities(part) : commandToken(part, namesById)))
    .join('');
}

function commandToken(token: string, { identity, channels, user }: Named): string {
  if (token.startsWith('http')) return `<${escapeEntities(token)}>`;
  const lowerName = token.slice(1).toLowerCase();
  if (token.startsWith('#')) {
    const channel = [...channels].find(
      ({ name, kind, members }) => name === lowerName && (kind === 'channel' || members.includes(user)),
    );
    return channel ? `<#${channel.id}|${channel.kind === 'channel' ? channel.name : ''}>` : token;
  }
  if (SPECIAL.has(lowerName)) return `<!${lowerName}>`;
  if (lowerName === identity.botName) return `<@${identity.botUserId}|${lowerName}>`;
  const person = identity.users.find(({ name }) => name === lowerName);
  if (person) return `<@${person.id}|${person.name}>`;
  const group = identity.groups?.find(({ handle }) => handle === lowerName);
  return group ? `<!subteam^${group.id}|@${group.handle}>` : token;
}

export const escapeEntities = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const unescapeEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** True if the text names this user. */
export const mentions = (text: string, userId: string): boolean => text.includes(`<@${userId}>`);

/** The `blocks` that Slack's clients send with a person's message (without styles). */
export function richText(text: string, seed: string): Json[] {
  const elements = text
    .split(/(<[@#][A-Z0-9]+>|<https?:[^>]+>)/)
    .filter((part) => part !== '')
    .map((part): Json => {
      if (part.startsWith('<@')) return { type: 'user', user_id: part.slice(2, -1) };
      if (part.startsWith('<#')) return { type: 'channel', channel_id: part.slice(2, -1) };
      if (part.startsWith('<http')) return { type: 'link', url: unescapeEntities(part.slice(1, -1)) };
      return { type: 'text', text: unescapeEntities(part) };
    });
  return [
    { type: 'rich_text', block_id: seed.slice(0, 5), elements: [{ type: 'rich_text_section', elements }] },
  ];
}
