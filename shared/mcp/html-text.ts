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
  'button',
  'select',
  'textarea',
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

/** Text by where it stands: all of it, and that outside of forms. */
type PlacedText = { readonly all: string[]; readonly outsideForms: string[] };

/** Most pages have forms to search or to sign in, which are left out. Of others (ASP.NET) everything is one form, longer than those. */
const MIN_SHARE_OUTSIDE = 0.25;
const MIN_FORM_LENGTH = 500;

function selectText({ all, outsideForms }: PlacedText): string {
  const [allText, textOutside] = [all.join(''), outsideForms.join('')];
  const [allLength, lengthOutside] = [countVisible(allText), countVisible(textOutside)];
  const isMostlyForm =
    lengthOutside < MIN_SHARE_OUTSIDE * allLength && allLength - lengthOutside > MIN_FORM_LENGTH;
  return isMostlyForm ? allText : textOutside;
}

const countVisible = (text: string): number => text.replaceAll(/\s+/gu, '').length;

/** The visible text of a page, with a blank line between paragraphs. If it has a `main` element, only the text of that. */
export function readHtml(html: string): { readonly title: string; readonly text: string } {
  const page: PlacedText = { all: [], outsideForms: [] };
  const main: PlacedText = { all: [], outsideForms: [] };
  let title = '';
  /** How many of the open elements are of this kind. */
  const open = { skipped: 0, main: 0, title: 0, form: 0, pre: 0 };
  /** Whether each open element is skipped; the parser closes every element that it opened. */
  const skips: boolean[] = [];
  const add = (text: string): void => {
    if (open.skipped > 0) return;
    for (const part of open.main > 0 ? [page, main] : [page]) {
      part.all.push(text);
      if (open.form === 0) part.outsideForms.push(text);
    }
  };
  const addBreak = (name: string): void => {
    if (PARAGRAPHS.has(name)) add('\n\n');
    else if (LINES.has(name)) add('\n');
    else if (CELLS.has(name)) add(' ');
  };
  const countOpen = (name: string, step: 1 | -1): void => {
    if (name === 'main' || name === 'title' || name === 'form' || name === 'pre') open[name] += step;
  };
  const parser = new Parser({
    onopentag: (name, { hidden, style = '' }) => {
      addBreak(name);
      const isSkipped = SKIPPED.has(name) || hidden !== undefined || /display:\s*none/iu.test(style);
      skips.push(isSkipped);
      if (isSkipped) open.skipped += 1;
      countOpen(name, 1);
    },
    onclosetag: (name) => {
      if (skips.pop() === true) open.skipped -= 1;
      addBreak(name);
      countOpen(name, -1);
    },
    ontext: (text) => {
      // The title of a drawing within the page is skipped with the drawing.
      if (open.title > 0) title += open.skipped > 0 ? '' : text;
      // Line ends and indents of code mean something.
      else add(open.pre > 0 ? text : text.replaceAll(/\s+/gu, ' '));
    },
  });
  parser.end(html);
  const mainText = selectText(main);
  return { title, text: /\S/u.test(mainText) ? mainText : selectText(page) };
}
