import type { Source } from '../../domain/index.ts';
import { sanitize } from '../markdown/index.ts';

/** Markup of either platform, and the scheme of an address: Discord shows no link whose words look like another link. */
const MARKUP = /[`*_~<>|[\]\\#]+|[a-z]+:\/\//giu;

/**
 * Returns a line for each cited page, as long as they fit: `format` makes a link of the words and the URL. The host is beside the
 * title, because strangers choose the title. The last line counts those that are left out.
 */
export function formatSourceLines(
  sources: readonly Source[],
  format: (words: string, url: string) => string,
  maxLength: number,
): readonly string[] {
  const lines: string[] = [];
  let room = maxLength;
  for (const { number, title, url } of sources) {
    const { host, href } = new URL(url);
    const words = sanitize(title.replaceAll(MARKUP, ' ')).replaceAll(/\s+/gu, ' ').trim() || host;
    const line = `[${number}] ${format(words, href.replaceAll('|', '%7C'))}${words === host ? '' : ` · ${host}`}`;
    room -= line.length + 5;
    if (room < 0) return [...lines, `… +${sources.length - lines.length}`];
    lines.push(line);
  }
  return lines;
}
