/** Slack's own limit for a message; it documents none for the text of a command. */
const MAX_LENGTH = 40_000;
const ENTITY = /<([^<>\n]{1,3000})>/gu;

/** Whether the text, as Slack encodes it, mentions this user. */
export function mentionsUser(text: string, user: string): boolean {
  return text.includes(`<@${user}>`) || text.includes(`<@${user}|`);
}

/**
 * The text of a message as people see it: without the mention of the bot, with people, channels and links as text, and
 * with `&amp;`, `&lt;`, `&gt;` decoded. See docs.slack.dev/messaging/formatting-message-text.
 */
export function readText(text: string, bot: string | undefined): string {
  const visibleText = text
    .slice(0, MAX_LENGTH)
    .replace(ENTITY, (_, inside: string) => toReadable(inside, bot))
    .replace(FIRST_GAP, '')
    .replace(GAPS, '')
    .trim();
  return decodeEntities(visibleText);
}

/**
 * The text after a slash command as people see it. Mentions of people, groups and channels stay as Slack encodes them
 * (`<@U1|ada>`, `<!subteam^S1|@sales>`, `<#C1|lab>`), as options need their ids. Slack encodes them if `should_escape` of
 * the command is set: docs.slack.dev/interactivity/implementing-slash-commands.
 */
export const readTypedText = (text: string): string =>
  decodeEntities(
    text
      .slice(0, MAX_LENGTH)
      .replace(ENTITY, (all, inside: string) => (MENTION.test(inside) ? all : toReadable(inside, undefined))),
  );

const MENTION = /^(?:[@#]|!subteam\^)/u;

const decodeEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Takes the place of the mention until the spaces around it are removed. Slack never sends this character. */
const GAP = '\uE000';
/** "@bot, hello" and "@bot: hello" are "hello". */
const FIRST_GAP = new RegExp(`^\\s*${GAP}[,:]?(?=\\s|$)`, 'u');
/** "hey @bot, hello" is "hey, hello". The lookbehind keeps the time linear in a long run of spaces. */
const GAPS = new RegExp(`(?<![ \\t])[ \\t]*${GAP}`, 'gu');

function toReadable(inside: string, bot: string | undefined): string {
  const cut = inside.indexOf('|');
  const target = cut < 0 ? inside : inside.slice(0, cut);
  const label = cut < 0 ? '' : inside.slice(cut + 1);
  const name = target.slice(1);
  switch (target.charAt(0)) {
    case '@':
      return name === bot ? GAP : `@${label || name}`;
    case '#':
      return `#${label || name}`;
    case '!':
      return label || `@${name.replace(/^subteam\^/u, '').split('^', 1)[0] ?? ''}`;
    default:
      return link(target, label);
  }
}

function link(target: string, label: string): string {
  const bare = target.replace(/^(?:https?:\/\/|mailto:|tel:)/u, '');
  if (label === '' || label === target) return target;
  return label === bare ? (target.startsWith('http') ? target : bare) : `${label} (${target})`;
}
