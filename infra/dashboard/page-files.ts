import { readFile } from 'node:fs/promises';

export type PageFile = { readonly content: Buffer; readonly contentType: string };

const PAGE = new URL('page/', import.meta.url);
const FILE_NAME = /^\/(?<name>[a-z-]+\.(?<type>css|js|svg))$/u;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
/** The chart library, as its package delivers it for browsers. */
const LIBRARY: Readonly<Record<string, string>> = {
  '/uplot.js': 'uplot/dist/uPlot.iife.min.js',
  '/uplot.css': 'uplot/dist/uPlot.min.css',
};

/** Reads a file of the page by its path; undefined if there is none. */
export async function readPageFile(path: string): Promise<PageFile | undefined> {
  const { name = 'index.html', type = 'html' } = FILE_NAME.exec(path)?.groups ?? {};
  if (type === 'html' && path !== '/') return undefined;
  const content = await read(path, name).catch(() => undefined);
  return content && { content, contentType: CONTENT_TYPES[type] ?? 'text/plain' };
}

/** Rejects if there is no such file, or if the library is not installed. */
async function read(path: string, name: string): Promise<Buffer> {
  const library = LIBRARY[path];
  return await readFile(library === undefined ? new URL(name, PAGE) : new URL(import.meta.resolve(library)));
}
