import type { SourceFile } from '../source-tree.ts';

/** Retired names of this project, with the field's term. */
const RETIRED_NAMES: Readonly<Record<string, string>> = {
  apologise: 'postFailureNotice',
  discordSide: 'createDiscordAdapter',
  ears: 'transcriptionClient',
  invocationDeps: 'interaction context',
  putRight: 'repairAnswer',
  slackSide: 'createSlackAdapter',
  strays: 'unthreadedPosts',
  ticketFor: 'findInteractionToken',
};
/** Retired words: no declared name contains one. */
const RETIRED_WORDS: Readonly<Record<string, string>> = {
  bury: 'handle a dead letter',
  chatter: 'unaddressed messages',
  happening: 'chat event',
  hear: 'transcribe',
  lanes: 'queue',
  leftovers: 'orphaned messages',
  lifeline: 'heartbeat',
  mouth: 'message sender',
  noticed: 'acknowledged',
  overhear: 'transcribe automatically',
  overtaken: 'superseded',
  patience: 'retry options',
  shelf: 'store',
  shelves: 'stores',
  tongue: 'locale',
  whisper: 'ephemeral message',
};
const DECLARATION = /\b(?:const|let|function|class|type|interface)\s+([A-Za-z_]\w*)/gu;
const CHECKED_FILES = /^(?:shared|functions|infra)\/.*\.ts$/u;
/** Error classes say so. */
const ERROR_CLASS = /\bclass\s+(\w+)\s+extends\s+(?:\w*Error)\b/gu;
/** Bounds that are not named MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS. */
const NONSTANDARD_BOUND =
  /^(?:MOST|LONGEST|LARGEST|SHORTEST|LEAST|FEWEST)(?:_|$)|_(?:WITHIN|KEPT)_MS$|^(?:WITHIN|KEPT|PATIENCE)_MS$/u;

/** Reports declared names that use a retired word, and classes of errors that do not end in `Error`, one sentence each. */
export function findRetiredWords(files: readonly SourceFile[]): string[] {
  const names = new Map(Object.entries(RETIRED_NAMES).map(([name, term]) => [name.toLowerCase(), term]));
  return files
    .filter(({ path }) => CHECKED_FILES.test(path))
    .flatMap(({ path, text }) => [
      ...[...text.matchAll(DECLARATION)].flatMap(([, name = '']) => {
        if (NONSTANDARD_BOUND.test(name))
          return [`${path}: ${name} names a bound: MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS`];
        const term = names.get(name.toLowerCase()) ?? termOfRetiredWord(name);
        return term === undefined ? [] : [`${path}: ${name} is retired, use ${term}`];
      }),
      ...[...text.matchAll(ERROR_CLASS)].flatMap(([, name = '']) =>
        name.endsWith('Error') ? [] : [`${path}: the name of the error class ${name} does not end in Error`],
      ),
    ]);
}

/** Returns the term for the first retired word in a name in camel case or upper case. */
function termOfRetiredWord(name: string): string | undefined {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/u).map((word) => word.toLowerCase());
  const retired = words.find((word) => Object.hasOwn(RETIRED_WORDS, word));
  return retired === undefined ? undefined : RETIRED_WORDS[retired];
}
