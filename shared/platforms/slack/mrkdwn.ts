/** Slack's older markup, which all but messages' own words are written in. `&`, `<` and `>` are commands there. */
export function mrkdwnOf(inertMarkdown: string): string {
  return inertMarkdown
    .split(/(```[\s\S]*?```|`[^`\n]+`)/u)
    .map((piece, i) => (i % 2 === 1 ? escaped(piece) : prose(piece)))
    .join('');
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function prose(text: string): string {
  return escaped(text)
    .replaceAll(
      /\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/gu,
      (_, label: string, url: string) => `<${url.replaceAll('|', '%7C')}|${label.replaceAll('|', '/')}>`,
    )
    .replaceAll(/\*\*(?=\S)([^*\n]+)\*\*/gu, '*$1*')
    .replaceAll(/^#{1,6} +(.+)$/gmu, '*$1*')
    .replaceAll(/^( *)[-*] /gmu, '$1• ');
}
