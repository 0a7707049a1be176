import { homedir, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { PROJECT, type SourceFile } from './source-tree.ts';

type ContentRule = { readonly description: string; readonly pattern: RegExp; readonly files: RegExp };

const ANY_FILE = /./u;
const LOCKFILE = /(?:^|\/)package-lock\.json$/u;
/** The rule above checks lockfiles, and more strictly. */
const NOT_LOCKFILE = /^(?!(?:.*\/)?package-lock\.json$)/u;
const CODE = /\.(?:ts|js|mjs|css|html|sh|yml)$|^\.ci\/run$/u;

/** Content that must not be committed. The patterns do not match themselves. */
const CONTENT_RULES: readonly ContentRule[] = [
  {
    description: 'the address of a registry',
    pattern: /"resolved"\s*:|registry\.[\w.-]+\.\w+/u,
    files: LOCKFILE,
  },
  {
    description: 'the address of a registry',
    pattern: /\bregistry\.[\w-]+\.(?:com|dev|io|net|org)\b|^[ \t]*(?:@[\w-]+:)?registry[ \t]*=/u,
    files: NOT_LOCKFILE,
  },
  {
    description: 'a Slack token',
    pattern: /\bxox[abeprs]-\d{9,}-\d{9,}-\w{20,}|\bxapp-1-\w{8,}-\d{9,}-\w{40,}/u,
    files: ANY_FILE,
  },
  {
    description: 'an AWS access key',
    pattern: /\b(?:AKIA|ASIA)(?!\w*EXAMPLE)[0-9A-Z]{16}\b/u,
    files: ANY_FILE,
  },
  {
    description: 'an API key of a model server',
    pattern: /\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b/u,
    files: ANY_FILE,
  },
  { description: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/u, files: ANY_FILE },
  { description: 'a home folder', pattern: /(?<![\w.:/-])\/(?:home|Users)\/[a-z]\w*\//u, files: ANY_FILE },
  { description: 'unfinished work', pattern: /\b(?:TO[D]O|FIX[M]E|HA[C]K)\b/u, files: CODE },
  {
    description: 'a way around the type checker',
    pattern: /\bas unk[n]own as\b|@ts-(?:ig[n]ore|nocheck)\b/u,
    files: CODE,
  },
];

/** Reports secrets, paths of this machine and unfinished work, one sentence per line of code. Shows no secret. */
export function findForbiddenContent(
  files: readonly SourceFile[],
  localFolders: readonly string[] = getLocalFolders(),
): string[] {
  return files.flatMap(({ path, text }) => {
    const rules = CONTENT_RULES.filter((trace) => trace.files.test(path));
    return text
      .split('\n')
      .flatMap((line, index) => [
        ...rules
          .filter(({ pattern }) => pattern.test(line))
          .map(({ description: what }) => `${path}:${index + 1}: ${what}`),
        ...localFolders
          .filter((folder) => line.includes(folder))
          .map(() => `${path}:${index + 1}: a path of this machine`),
      ]);
  });
}

/** Returns folders whose paths identify this machine. */
function getLocalFolders(): string[] {
  const folders = [dirname(PROJECT), homedir()].filter((folder) => folder !== '/' && folder !== tmpdir());
  return folders.map((folder) => `${folder}/`);
}
