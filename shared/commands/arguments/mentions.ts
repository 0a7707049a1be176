/**
 * How the platforms write whom somebody mentioned: `<@U1|ada>`, `<#C1|lab>`, `<!subteam^S1|@sales>` in Slack, whose labels may
 * be absent or empty; `<@1>`, `<@!1>`, `<@&1>`, `<#1>` in Discord.
 */
const MENTION = /<(@[!&]?|#|!subteam\^)([\w-]+)(?:\|([^<>]*))?>/gu;

/** A text in which people, groups and channels stand by their names, as far as they come along. */
export const withoutMentions = (text: string): string =>
  text.replaceAll(MENTION, (all, sign: string, id: string, label?: string) => {
    if (label === undefined) return all;
    return `${sign === '#' ? '#' : '@'}${label.replace(/^@/u, '') || id}`;
  });

/** Whether a word names somebody: a mention, `@name`, or an id as the platforms have them. */
export const isReference = (word: string): boolean =>
  /^(?:<[@!]|@\S)/u.test(word) || /^(?:[UW][A-Z0-9]{2,}|\d{15,20})$/u.test(word);
