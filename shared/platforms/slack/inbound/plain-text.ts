/** Slack's own limit for a message; what lies beyond is not Slack's. */
const MAX_LENGTH = 40_000;
const ENTITY = /<([^<>\n]{1,3000})>/gu;

/** Whether the text, as Slack encodes it, names this user. */
export function names(text: string, user: string): boolean {
  return text.includes(`<@${user}>`) || text.includes(`<@${user}|`);
}

/**
 * The words of a message as a reader would take them: without the mention of the bot, people, channels and links as
 * text, and `&amp;`, `&lt;`, `&gt;` decoded. See docs.slack.dev/messaging/formatting-message-text.
 */
export function readText(text: string, bot: string | undefined): string {
  const shown = text
    .slice(0, MAX_LENGTH)
    .replace(ENTITY, (_, inside: string) => readable(inside, bot))
    .replace(FIRST_GAP, '')
    .replace(GAPS, '')
    .trim();
  return decoded(shown);
}

/**
 * What was typed behind a slash command, as a reader would take it, but for mentions of people, groups and channels: those
 * stay as Slack writes them (`<@U1|ada>`, `<!subteam^S1|@sales>`, `<#C1|lab>`), since options want their ids. Slack
 * escapes them where the command's `should_escape` is set: docs.slack.dev/interactivity/implementing-slash-commands.
 */
export const readTypedText = (text: string): string =>
  decoded(
    text.replace(ENTITY, (all, inside: string) => (MENTION.test(inside) ? all : readable(inside, undefined))),
  );

const MENTION = /^(?:[@#]|!subteam\^)/u;

const decoded = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Stands for the mention until the blanks around it are mended. Slack never sends this character. */
const GAP = '\uE000';
/** "@bot, hello" and "@bot: hello" are "hello". */
const FIRST_GAP = new RegExp(`^\\s*${GAP}[,:]?(?=\\s|$)`, 'u');
/** "hey @bot, hello" is "hey, hello". The look back keeps a long run of blanks from being tried blank by blank. */
const GAPS = new RegExp(`(?<![ \\t])[ \\t]*${GAP}`, 'gu');

function readable(inside: string, bot: string | undefined): string {
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
      return label || `@${name.split('^', 1)[0] ?? ''}`;
    default:
      return link(target, label);
  }
}

function link(target: string, label: string): string {
  const bare = target.replace(/^(?:https?:\/\/|mailto:|tel:)/u, '');
  if (label === '' || label === target) return target;
  return label === bare ? (target.startsWith('http') ? target : bare) : `${label} (${target})`;
}
