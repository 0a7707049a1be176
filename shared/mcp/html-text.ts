import { Parser } from 'htmlparser2';

/** What people do not read on a page, or what stands around its content on every page of a site. */
const SKIPPED = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'canvas',
  'nav',
  'footer',
  'aside',
  'form',
  'button',
  'select',
  'dialog',
]);
/** A paragraph ends at these. */
const PARAGRAPHS = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'dl',
  'table',
  'blockquote',
  'pre',
  'figure',
  'section',
  'article',
  'main',
  'header',
  'body',
]);
/** A line ends at these. */
const LINES = new Set(['div', 'li', 'tr', 'dt', 'dd', 'br', 'hr', 'figcaption', 'caption', 'address']);
/** A space stands between these. */
const CELLS = new Set(['td', 'th']);

/** The visible text of a page, with a blank line between paragraphs. If it has a `main` element, only the text of that. */
export function readHtml(html: string): { readonly title: string; readonly text: string } {
  const all: string[] = [];
  const main: string[] = [];
  let title = '';
  /** How many of the open elements are of this kind. */
  const open = { skipped: 0, main: 0, title: 0 };
  /** Whether each open element is skipped; the parser closes every element that it opened. */
  const skips: boolean[] = [];
  const add = (text: string): void => {
    if (open.skipped > 0) return;
    all.push(text);
    if (open.main > 0) main.push(text);
  };
  const addBreak = (name: string): void => {
    if (PARAGRAPHS.has(name)) add('\n\n');
    else if (LINES.has(name)) add('\n');
    else if (CELLS.has(name)) add(' ');
  };
  const parser = new Parser({
    onopentag: (name, { hidden, style = '' }) => {
      addBreak(name);
      const isSkipped = SKIPPED.has(name) || hidden !== undefined || /display:\s*none/iu.test(style);
      skips.push(isSkipped);
      if (isSkipped) open.skipped += 1;
      if (name === 'main') open.main += 1;
      if (name === 'title') open.title += 1;
    },
    onclosetag: (name) => {
      if (skips.pop() === true) open.skipped -= 1;
      addBreak(name);
      if (name === 'main') open.main -= 1;
      if (name === 'title') open.title -= 1;
    },
    ontext: (text) => {
      // The title of a drawing within the page is skipped with the drawing.
      if (open.title > 0) title += open.skipped > 0 ? '' : text;
      else add(text.replaceAll(/\s+/gu, ' '));
    },
  });
  parser.end(html);
  const mainText = main.join('');
  return { title, text: /\S/u.test(mainText) ? mainText : all.join('') };
}
