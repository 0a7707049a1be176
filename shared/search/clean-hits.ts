import { toVisibleLine, toVisibleText } from '../utils/index.ts';
import type { SearchHit } from './search-service.ts';

/** Most characters of a title, of the text of a result for the model, and of a URL; a result with a longer URL is left out. */
const MAX_TITLE_LENGTH = 80;
const MAX_TEXT_LENGTH = 1_200;
const MAX_URL_LENGTH = 400;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Services send HTML: marks around the words that were found, and entities. */
const withoutHtml = (text: string): string =>
  text
    .replaceAll(/<\/?[a-z][^<>]{0,100}>/giu, '')
    .replaceAll(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,4}));/giu, (whole, decimal, hex, name) => {
      if (typeof name === 'string') return ENTITIES[name.toLowerCase()] ?? whole;
      const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code < 32 || code > 0x10_ff_ff ? ' ' : String.fromCodePoint(code);
    });

/** One line without invisible characters. Cut before the patterns run: the text may have megabytes. */
function toLine(text: string, maxLength: number): string {
  const plain = withoutHtml(text.slice(0, 4 * maxLength)).replaceAll(/\p{Cc}+/gu, ' ');
  return toVisibleText(toVisibleLine(plain, 4 * maxLength), maxLength);
}

/** Returns the URL as browsers write it; undefined unless it is a web address without a user name. */
function toLink(text: string): URL | undefined {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb =
    (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '';
  return isWeb && url.href.length <= MAX_URL_LENGTH ? url : undefined;
}

/** Returns the first `count` usable results, each page once. The title of a page without one is its host. */
export function cleanHits(hits: readonly SearchHit[], count: number): readonly SearchHit[] {
  const byUrl = new Map<string, SearchHit>();
  for (const { title, url, text } of hits) {
    if (byUrl.size >= count) break;
    const link = toLink(url);
    if (link === undefined || byUrl.has(link.href)) continue;
    const shownTitle = toLine(title, MAX_TITLE_LENGTH) || link.host;
    byUrl.set(link.href, { title: shownTitle, url: link.href, text: toLine(text, MAX_TEXT_LENGTH) });
  }
  return [...byUrl.values()];
}
