import type { HttpResponse } from '../../shared/runtime/index.ts';

const STYLE = 'body{font:18px/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}';

/** A page of a title and a sentence for the browser of a person: no scripts, not in a frame, not cached. Both texts are escaped. */
export function renderHtmlPage(statusCode: number, title: string, sentence: string): HttpResponse {
  return {
    statusCode,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1><p>${escaped(sentence)}</p></html>`,
  };
}

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
