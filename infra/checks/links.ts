import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PROJECT, type SourceFile } from './tree.ts';

const LINK = /\]\(([^)\s]+)\)/gu;
const HEADING = /^#+\s+(.+)$/gmu;

/** Links between the documents that lead nowhere, one sentence each. Links to the web are not followed. */
export function deadLinks(files: readonly SourceFile[], project: string = PROJECT): string[] {
  const pages = new Map(
    files.filter(({ path }) => path.endsWith('.md')).map(({ path, text }) => [path, text]),
  );
  return [...pages].flatMap(([path, text]) =>
    [...text.matchAll(LINK)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/u.test(link))
      .filter((link) => !leads(path, link, pages, project))
      .map((link) => `${path}: ${link} leads nowhere`),
  );
}

function leads(from: string, link: string, pages: ReadonlyMap<string, string>, project: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : posix.join(posix.dirname(from), file);
  const text = pages.get(target);
  if (text === undefined) return existsSync(join(project, target));
  return anchor === undefined || anchorsOf(text).includes(anchor);
}

/** The anchors that a page's headings get: lower case, blanks to hyphens, everything else but letters dropped. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(HEADING)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
