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
  ticket: 'interactionToken',
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
/** Participles and question words that do not say what a value is. No variable, function or member of a type has one of these as its whole name. */
const UNCLEAR_NAMES: ReadonlySet<string> = new Set([
  'asked',
  'begun',
  'found',
  'given',
  'gone',
  'heard',
  'held',
  'kept',
  'made',
  'most',
  'refused',
  'said',
  'shown',
  'spoken',
  'taken',
  'told',
  'waited',
  'whose',
  'wish',
]);
/** Names of functions that end in `Of` and stay, after those of JSON Schema and of JavaScript. */
const NAMES_IN_OF: ReadonlySet<string> = new Set(['iterableOf', 'oneOf']);
/** Retired phrases in titles of tests and in texts that people read, with the field's term. */
const RETIRED_PHRASES: readonly (readonly [phrase: RegExp, term: string])[] = [
  [/\b(?:over)?hears?\b/iu, 'receive or transcribe'],
  [/\bwhispers?\b/iu, 'ephemeral message'],
  [/\b(?:an )?asides?\b/iu, 'ephemeral message'],
  [/\banew\b/iu, 'again'],
  [/\bis had\b/iu, 'is returned'],
  [/\b(?:held|hold) against\b/iu, 'compared with'],
  [/\b(?:tells?|told) of\b/iu, 'reports'],
  [/\bbur(?:y|ies|ied)\b/iu, 'handle a dead letter'],
  [/\btongues?\b/iu, 'language'],
];
const DECLARATION = /\b(?:const|let|function|class|type|interface)\s+([A-Za-z_]\w*)/gu;
/** A variable or a function with its parameters; in comments, these words have no `=` or parenthesis behind them. */
const VALUE_DECLARATION = /\b(?:(?:const|let)\s+(\w+)\s*[=:;]|function\s+(\w+)\s*[(<])/gu;
/** The names in braces of a parameter with a type, or of a constant. */
const DESTRUCTURING = /\{([^{}]*)\}(?:: [A-Z]|\s=\s)/gu;
/** The new name that such braces give to a member. */
const ALIAS = /\b\w+: (\w+)/gu;
/** A function outside of others; its second form is a constant with an arrow function. */
const FUNCTION =
  /^(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+)(?:: [^=\n]+)? =(?: async)?\s*(?:<[^>]*>)?\s*\()/gmu;
/** A member of a type, a field of a class, or a getter. */
const MEMBER_DECLARATION = /^\s*(?:readonly\s+#?|#|get\s+)(\w+)\??\s*[:=(]/gmu;
const CHECKED_FILES = /^(?:shared|functions|infra)\/.*\.ts$/u;
/** Without the test of this check, which has examples. */
const TEST_FILES = /^test\/(?!checks\/retired-words\.).*\.ts$/u;
/** Files with English texts: code but this file, and the texts in English. */
const TEXT_FILES =
  /^(?:(?:shared|functions|infra)\/(?!checks\/names\/retired-words\.).*\.ts|shared\/i18n\/.*\/en\.json)$/u;
/** A line of a comment. */
const COMMENT = /^\s*(?:\/\/|\/?\*)/u;
/** A literal. Of several words, it is a text for people and not a key. */
const LITERAL = /'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`/gu;
/** Texts of errors and titles of tests. */
const TITLE = /(?:\bnew \w*Error|\b(?:test|describe)|\]\))\(\s*(?:'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`)/gu;
/** Error classes say so. */
const ERROR_CLASS = /\bclass\s+(\w+)\s+extends\s+(?:\w*Error)\b/gu;
/** Bounds that are not named MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS. */
const NONSTANDARD_BOUND =
  /^(?:MOST|LONGEST|LARGEST|SHORTEST|LEAST|FEWEST)(?:_|$)|_(?:WITHIN|KEPT)_MS$|^(?:WITHIN|KEPT|PATIENCE)_MS$/u;

/**
 * Reports names that use a retired word or do not say what they name, functions that do not say what they do, classes of
 * errors that do not end in `Error`, and retired phrases in titles of tests and in English texts, one sentence each.
 */
export function findRetiredWords(files: readonly SourceFile[]): string[] {
  return [
    ...files.filter(({ path }) => CHECKED_FILES.test(path)).flatMap(findNonstandardNames),
    ...files
      .filter(({ path }) => CHECKED_FILES.test(path) || TEST_FILES.test(path))
      .flatMap((file) => [...findUnclearNames(file), ...findRetiredNames(file)]),
    ...files.filter(({ path }) => TEST_FILES.test(path)).flatMap((file) => findRetiredPhrases(file, TITLE)),
    ...files
      .filter(({ path }) => TEXT_FILES.test(path))
      .flatMap((file) => findRetiredPhrases(withoutComments(file), LITERAL)),
  ];
}

const listAliases = (text: string): string[] =>
  [...text.matchAll(DESTRUCTURING)].flatMap(([, members = '']) =>
    [...members.matchAll(ALIAS)].map(([, name = '']) => name),
  );

const declaredNames = (text: string): string[] => [
  ...[...text.matchAll(DECLARATION)].map(([, name = '']) => name),
  ...listAliases(text),
];

const findUnclearNames = ({ path, text }: SourceFile): string[] => {
  const declarations = [...text.matchAll(VALUE_DECLARATION), ...text.matchAll(MEMBER_DECLARATION)];
  return [...declarations.map(([, variable, callable]) => variable ?? callable ?? ''), ...listAliases(text)]
    .filter((name) => UNCLEAR_NAMES.has(name))
    .map((name) => `${path}: ${name} does not say what it names`);
};

const withoutComments = ({ path, text }: SourceFile): SourceFile => ({
  path,
  text: text
    .split('\n')
    .filter((line) => !COMMENT.test(line))
    .join('\n'),
});

const findRetiredPhrases = ({ path, text }: SourceFile, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap(([, single, double, template]) => {
    const title = single ?? double ?? template ?? '';
    return RETIRED_PHRASES.flatMap(([phrase, term]) =>
      title.includes(' ') && phrase.test(title) ? [`${path}: “${title}” has a retired phrase: ${term}`] : [],
    );
  });

/** Retired names in code, and retired words in the name of the file. */
function findRetiredNames({ path, text }: SourceFile): string[] {
  const names = new Map(Object.entries(RETIRED_NAMES).map(([name, term]) => [name.toLowerCase(), term]));
  return [...declaredNames(text), ...path.split(/[/.-]/u)].flatMap((name) => {
    const term = names.get(name.toLowerCase()) ?? termOfRetiredWord(name);
    return term === undefined ? [] : [`${path}: ${name} is retired, use ${term}`];
  });
}

function findNonstandardNames({ path, text }: SourceFile): string[] {
  return [
    ...declaredNames(text).flatMap((name) =>
      NONSTANDARD_BOUND.test(name)
        ? [`${path}: ${name} names a bound: MAX_…, MIN_…, …_TIMEOUT_MS or …_TTL_MS`]
        : [],
    ),
    ...[...text.matchAll(FUNCTION)].flatMap(([, declared, constant]) => {
      const name = declared ?? constant ?? '';
      return /^(?!is[A-Z])\w*[a-z\d]Of$/u.test(name) && !NAMES_IN_OF.has(name)
        ? [`${path}: the function ${name} does not begin with a verb: get…, create…, list…`]
        : [];
    }),
    ...[...text.matchAll(ERROR_CLASS)].flatMap(([, name = '']) =>
      name.endsWith('Error') ? [] : [`${path}: the name of the error class ${name} does not end in Error`],
    ),
  ];
}

/** Returns the term for the first retired word in a name in camel case or upper case. */
function termOfRetiredWord(name: string): string | undefined {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|_/u).map((word) => word.toLowerCase());
  const retired = words.find((word) => Object.hasOwn(RETIRED_WORDS, word));
  return retired === undefined ? undefined : RETIRED_WORDS[retired];
}
