import type { SourceFile } from './source-tree.ts';

/** Retired names of this project, with the field's term. */
const RETIRED_WORDS: Readonly<Record<string, string>> = {
  happening: 'chat event',
  invocationDeps: 'interaction context',
  ears: 'transcriptionClient',
  mouth: 'messageSender',
  bury: 'handleDeadLetter',
  apologise: 'postFailureNotice',
  putRight: 'repairAnswer',
  overhear: 'autoTranscribe',
};
const DECLARATION = /\b(?:const|function|class|type|interface)\s+([A-Za-z_]\w*)/gu;
const CHECKED_FILES = /^(?:shared|functions|infra)\/.*\.ts$/u;
/** Bounds that are not named MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS. */
const NONSTANDARD_BOUND =
  /^(?:MOST|LONGEST|LARGEST|SHORTEST|LEAST|FEWEST)(?:_|$)|_(?:WITHIN|KEPT)_MS$|^(?:WITHIN|KEPT|PATIENCE)_MS$/u;

/** Reports declared names that use a retired word, one sentence each. */
export function findRetiredWords(files: readonly SourceFile[]): string[] {
  const retired = new Map(
    Object.entries(RETIRED_WORDS).map(([word, replacement]) => [word.toLowerCase(), replacement]),
  );
  return files
    .filter(({ path }) => CHECKED_FILES.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(DECLARATION)].flatMap(([, name = '']) => {
        if (NONSTANDARD_BOUND.test(name))
          return [`${path}: ${name} names a bound: MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS`];
        const replacement = retired.get(name.toLowerCase());
        return replacement === undefined ? [] : [`${path}: ${name} is retired, use ${replacement}`];
      }),
    );
}
