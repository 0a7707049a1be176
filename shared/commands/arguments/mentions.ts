/**
 * Mentions of the platforms: `<@U1|ada>`, `<#C1|lab>`, `<!subteam^S1|@sales>` in Slack, where the label may be absent or empty;
 * `<@1>`, `<@!1>`, `<@&1>`, `<#1>` in Discord.
 */
const MENTION = /<(@[!&]?|#|!subteam\^)([\w-]+)(?:\|([^<>]*))?>/gu;

/** Replaces mentions with names, if they have labels. */
export const replaceMentions = (text: string): string =>
  text.replaceAll(MENTION, (all, sign: string, id: string, label?: string) => {
    if (label === undefined) return all;
    return `${sign === '#' ? '#' : '@'}${label.replace(/^@/u, '') || id}`;
  });

/** Returns whether a word refers to a person: a mention, `@name`, or a platform id. */
export const isReference = (word: string): boolean =>
  /^(?:<[@!]|@\S)/u.test(word) || /^(?:[UW][A-Z0-9]{2,}|\d{15,20})$/u.test(word);
