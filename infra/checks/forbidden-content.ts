import { homedir, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { PROJECT, type SourceFile } from './tree.ts';

type Trace = { readonly what: string; readonly pattern: RegExp; readonly files: RegExp };

const ANY = /./u;
const LOCK = /(?:^|\/)package-lock\.json$/u;
/** In a lockfile the rule above finds it, and more. */
const NO_LOCK = /^(?!(?:.*\/)?package-lock\.json$)/u;
const CODE = /\.(?:ts|js|mjs|css|html|sh|yml)$|^\.ci\/run$/u;

/** What must not be committed. The patterns are written so that they do not match themselves. */
const TRACES: readonly Trace[] = [
  { what: 'the address of a registry', pattern: /"resolved"\s*:|registry\.[\w.-]+\.\w+/u, files: LOCK },
  {
    what: 'the address of a registry',
    pattern: /\bregistry\.[\w-]+\.(?:com|dev|io|net|org)\b|^[ \t]*(?:@[\w-]+:)?registry[ \t]*=/u,
    files: NO_LOCK,
  },
  {
    what: 'a token of Slack',
    pattern: /\bxox[abeprs]-\d{9,}-\d{9,}-\w{20,}|\bxapp-1-\w{8,}-\d{9,}-\w{40,}/u,
    files: ANY,
  },
  { what: 'a key of AWS', pattern: /\b(?:AKIA|ASIA)(?!\w*EXAMPLE)[0-9A-Z]{16}\b/u, files: ANY },
  { what: 'a key of a model server', pattern: /\bsk-(?:proj-)?[A-Za-z0-9]{32,}\b/u, files: ANY },
  { what: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/u, files: ANY },
  { what: 'a home folder', pattern: /(?<![\w.:/-])\/(?:home|Users)\/[a-z]\w*\//u, files: ANY },
  { what: 'unfinished work', pattern: /\b(?:TO[D]O|FIX[M]E|HA[C]K)\b/u, files: CODE },
  {
    what: 'a way around the type checker',
    pattern: /\bas unk[n]own as\b|@ts-(?:ig[n]ore|nocheck)\b/u,
    files: CODE,
  },
];

/** Secrets, addresses and paths of one machine, and unfinished work: one sentence per line found. Shows no secret. */
export function findForbiddenContent(
  files: readonly SourceFile[],
  here: readonly string[] = hereabouts(),
): string[] {
  return files.flatMap(({ path, text }) => {
    const rules = TRACES.filter((trace) => trace.files.test(path));
    return text
      .split('\n')
      .flatMap((line, index) => [
        ...rules
          .filter(({ pattern }) => pattern.test(line))
          .map(({ what }) => `${path}:${index + 1}: ${what}`),
        ...here
          .filter((folder) => line.includes(folder))
          .map(() => `${path}:${index + 1}: a path of this machine`),
      ]);
  });
}

/** Folders whose names only mean something here. */
function hereabouts(): string[] {
  const around = [dirname(PROJECT), homedir()].filter((folder) => folder !== '/' && folder !== tmpdir());
  return around.map((folder) => `${folder}/`);
}
