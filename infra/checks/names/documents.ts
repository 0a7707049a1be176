import type { SourceFile } from '../source-tree.ts';
import { isLogged } from './log-events.ts';

/** What ARCHITECTURE.md may have: it is read in a quarter of an hour. */
const MAX_ARCHITECTURE_WORDS = 3_500;
const CODE = /`([^`\n]+)`/gu;
const PATH = /^(?:shared|functions|infra|test|docs)\/[\w./-]*\w\/?$/u;
const JEST = /npm test -- ([^`#\n|]+)/gu;
const SCRIPT = /npm run (?:-s )?([a-z][a-z:-]*)/gu;
/** A log event: `noun.verb-past`. File names end in one of these instead. */
const EVENT = /^[a-z]+(?:-[a-z]+)*\.(?!ts$|js$|json$|md$|csv$|txt$|vtt$|srt$|com$|org$)[a-z]+(?:-[a-z]+)*$/u;
/** "`name` in `path`": the file exports the name. */
const EXPORT = /`(\w+)` in `([\w./-]+\.ts)`/gu;

/** Lambda's own log lines, and methods and events of Slack, look like our log events. */
const FOREIGN =
  /^(?:platform|chat|conversations|views|message|agents|assistant|auth|users|files|reactions|oauth)\./u;

/**
 * Names in the documents that the project does not have, one sentence each: paths, tests, scripts, exports and log events.
 * The changelog may name what existed in an earlier version.
 */
export function findStaleNames(files: readonly SourceFile[], scripts: readonly string[]): string[] {
  const project = projectNames(files, scripts);
  return files
    .filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md')
    .flatMap(({ path, text }) => [
      ...findStaleNamesIn(path, text, project).map((fault) => `${path}: ${fault}`),
      ...(path === 'ARCHITECTURE.md' ? tooManyWords(text) : []),
    ]);
}

type Project = {
  readonly exists: (path: string) => boolean;
  readonly tests: readonly string[];
  readonly scripts: readonly string[];
  readonly code: string;
  readonly source: (path: string) => string;
};

function projectNames(files: readonly SourceFile[], scripts: readonly string[]): Project {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const folders = new Set(
    files.flatMap(({ path }) => path.split('/').map((_, n, parts) => parts.slice(0, n).join('/'))),
  );
  const paths = [...texts.keys()];
  return {
    exists: (path) => texts.has(path) || folders.has(path.replace(/\/$/u, '')),
    tests: paths.filter((path) => path.endsWith('.test.ts')),
    scripts,
    code: files
      .filter(({ path }) => /^(?:shared|functions|infra)\/.*\.ts$/u.test(path))
      .map(({ text }) => text)
      .join('\n'),
    source: (path) => texts.get(path) ?? '',
  };
}

function findStaleNamesIn(path: string, text: string, project: Project): string[] {
  const all = (pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name.trim())),
  ];
  const inline = all(CODE);
  return [
    ...inline
      .filter((name) => PATH.test(name) && !project.exists(name))
      .map((name) => `no file or folder ${name}`),
    ...all(JEST)
      .flatMap((names) => names.split(/\s+/u))
      .filter((name) => name.startsWith('test/') && !project.tests.some((test) => test.includes(name)))
      .map((name) => `no test ${name}`),
    ...all(SCRIPT)
      .filter((name) => !project.scripts.includes(name))
      .map((name) => `no script ${name}`),
    ...(path.startsWith('docs/') ? inline : [])
      .filter((name) => EVENT.test(name) && !FOREIGN.test(name) && !isLogged(name, project.code))
      .map((name) => `no log event ${name}`),
    ...[...text.matchAll(EXPORT)]
      .filter(([, name = '', file = '']) => !exportsName(project.source(file), name))
      .map(([, name = '', file = '']) => `${file} exports no ${name}`),
  ];
}

const exportsName = (source: string, name: string): boolean =>
  new RegExp(`^export (?:async )?(?:const|function\\*?|class|type|interface) ${name}\\b`, 'mu').test(source);

function tooManyWords(text: string): string[] {
  const count = text.split(/\s+/u).filter((word) => word !== '').length;
  return count > MAX_ARCHITECTURE_WORDS
    ? [`ARCHITECTURE.md: ${count} words, ${MAX_ARCHITECTURE_WORDS} at most`]
    : [];
}
