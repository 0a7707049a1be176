import type { SourceFile } from './tree.ts';

/** Words of our own that the field has another for. They are no names of code any more. */
const RETIRED: Readonly<Record<string, string>> = {
  happening: 'chat event',
  invocationDeps: 'interaction context',
  ears: 'transcriptionClient',
  mouth: 'messageSender',
  bury: 'handleDeadLetter',
  apologise: 'postFailureNotice',
  putRight: 'repairAnswer',
  overhear: 'autoTranscribe',
};
const DECLARED = /\b(?:const|function|class|type|interface)\s+([A-Za-z_]\w*)/gu;
const MEASURED = /^(?:shared|functions|infra)\/.*\.ts$/u;
/** Constants that name a bound say so in the field's words. */
const BOUNDS =
  /^(?:MOST|LONGEST|LARGEST|SHORTEST|LEAST|FEWEST)(?:_|$)|_(?:WITHIN|KEPT)_MS$|^(?:WITHIN|KEPT|PATIENCE)_MS$/u;

/** Declared names that use a retired word, a sentence each. */
export function retiredWords(files: readonly SourceFile[]): string[] {
  const retired = new Map(Object.entries(RETIRED).map(([word, now]) => [word.toLowerCase(), now]));
  return files
    .filter(({ path }) => MEASURED.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(DECLARED)].flatMap(([, name = '']) => {
        if (BOUNDS.test(name))
          return [`${path}: ${name} names a bound: MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS`];
        const now = retired.get(name.toLowerCase());
        return now === undefined ? [] : [`${path}: ${name} is no name any more: ${now}`];
      }),
    );
}
