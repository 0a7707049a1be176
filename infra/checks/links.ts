import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PROJECT, type SourceFile } from './source-tree.ts';

const LINK = /\]\(([^)\s]+)\)/gu;
const HEADING = /^#+\s+(.+)$/gmu;

/** Reports broken links between documents, one sentence each. Web links are not followed. */
export function findDeadLinks(files: readonly SourceFile[]): string[] {
  const pages = new Map(
    files.filter(({ path }) => path.endsWith('.md')).map(({ path, text }) => [path, text]),
  );
  return [...pages].flatMap(([path, text]) =>
    [...text.matchAll(LINK)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/u.test(link))
      .filter((link) => !isValidLink(path, link, pages))
      .map((link) => `${path}: ${link} leads nowhere`),
  );
}

function isValidLink(from: string, link: string, pages: ReadonlyMap<string, string>): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : posix.join(posix.dirname(from), file);
  const text = pages.get(target);
  if (text === undefined) return existsSync(join(PROJECT, target));
  return anchor === undefined || getAnchors(text).includes(anchor);
}

/** Returns the anchors of a page's headings: lower case, hyphens for spaces, punctuation removed. */
function getAnchors(text: string): string[] {
  return [...text.matchAll(HEADING)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
