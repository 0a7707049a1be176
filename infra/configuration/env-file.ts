import { parse } from 'dotenv';
import leven from 'leven';
import { type Check, fail, warn } from './check.ts';
import { CONFIG_TOKEN, VARIABLES, type Variables } from './variables.ts';

export type EnvFile = { readonly variables: Variables; readonly checks: readonly Check[] };

/** Maximum edit distance of a typo. */
const MAX_TYPO_DISTANCE = 2;
/** Maximum share of different letters in a name of the same service. */
const MAX_DISTANCE_SHARE = 0.4;

/** A line with a variable, as dotenv parses it. */
const VARIABLE_LINE = /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/;

/** Parses `.env`, and checks variable names and lines that dotenv ignores. */
export function readEnvFile(text: string): EnvFile {
  const variables = parse(text);
  const lines = removeMultilineValues(text, variables).split(/\r?\n/);
  return { variables, checks: [...checkNames(variables), ...checkLines(lines)] };
}

/**
 * Warns of environment variables that look like misspelled ones of Parley. Unlike `.env`, the environment contains variables
 * of other programs, which are ignored.
 */
export function checkEnvironment(environment: Variables): Check[] {
  return Object.keys(environment).flatMap((name) => {
    const similar = findSimilar(name);
    if (
      !/^(?:SLACK|DISCORD|UPSTREAM)_/.test(name) ||
      similar === undefined ||
      similar.slips > MAX_TYPO_DISTANCE
    )
      return [];
    return [
      warn(name, 'the environment has it, and Parley does not read it.', `Did you mean ${similar.name}?`),
    ];
  });
}

function checkNames(variables: Variables): Check[] {
  return Object.keys(variables).flatMap((name) => {
    if (Object.hasOwn(VARIABLES, name)) return [];
    if (name === CONFIG_TOKEN)
      return [
        warn(
          name,
          'does not belong into .env: it expires after 12 hours, and whoever has it can change your Slack apps.',
          `Take it out, and set it for one command: ${CONFIG_TOKEN}=xoxe.xoxp-... npx parley doctor`,
        ),
      ];
    const similar = findSimilar(name);
    const finding = '.env has it, and Parley does not read it.';
    if (similar === undefined) return [warn(name, finding, 'Take it out, unless another program needs it.')];
    const fix = `Did you mean ${similar.name} (${VARIABLES[similar.name]})?`;
    return [similar.slips <= MAX_TYPO_DISTANCE ? fail(name, finding, fix) : warn(name, finding, fix)];
  });
}

/** Returns the most similar known variable and its edit distance; undefined if none is similar. */
function findSimilar(name: string): { readonly name: string; readonly slips: number } | undefined {
  if (Object.hasOwn(VARIABLES, name) || name === CONFIG_TOKEN) return undefined;
  const letters = toLetters(name);
  const [best] = Object.keys(VARIABLES)
    .map((known) => ({ name: known, slips: leven(letters, toLetters(known)) }))
    .toSorted((a, b) => a.slips - b.slips);
  if (best === undefined) return undefined;
  const isSameService = getService(name) !== undefined && getService(name) === getService(best.name);
  const maxDistance = isSameService
    ? Math.max(MAX_TYPO_DISTANCE, letters.length * MAX_DISTANCE_SHARE)
    : MAX_TYPO_DISTANCE;
  // In a short name, two other letters make another word.
  return best.slips <= Math.min(maxDistance, letters.length / 2) ? best : undefined;
}

const toLetters = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
const getService = (name: string): string | undefined =>
  /^(?:SLACK|DISCORD|UPSTREAM)/i.exec(name)?.[0].toUpperCase();

/** A value without quotes up to the first #, where dotenv ends it, and a # that is not its first character. */
const CUT_VALUE = /^[^=:]*[=:]\s*(?!["'`\s])(?<value>[^#]*[^#\s])(?<space>\s*)#/u;
/** Variables whose value is text that people write, in which a # after a blank may be the name of a channel. */
const TEXTS: ReadonlySet<string> = new Set(['SYSTEM_PROMPT']);

/** Whether dotenv drops a part of the value. After a blank, a # begins a comment, which is meant in most lines. */
function isCut(line: string, name: string): boolean {
  const { space } = CUT_VALUE.exec(line)?.groups ?? {};
  return space !== undefined && (space === '' || TEXTS.has(name));
}

function checkLines(lines: readonly string[]): Check[] {
  const names = new Set<string>();
  return lines.flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const name = VARIABLE_LINE.exec(line)?.[1];
    // The line is not shown: it may contain a credential.
    if (name === undefined) {
      return [
        fail(
          `.env, line ${index + 1}`,
          'it is not of the form NAME=value, and is not read.',
          'Write NAME=value, or begin the line with # to keep it as a comment.',
        ),
      ];
    }
    if (names.has(name)) {
      return [
        warn(name, `.env has it more than once; line ${index + 1} counts.`, 'Take the other lines out.'),
      ];
    }
    names.add(name);
    return isCut(line, name)
      ? [warn(name, 'what comes after # is not read.', `Put the value into quotes: ${name}="...".`)]
      : [];
  });
}

/** Removes multi-line values, whose lines look like variables or like errors. Keeps the number of lines. */
function removeMultilineValues(text: string, variables: Variables): string {
  let rest = text.replaceAll('\r\n', '\n');
  for (const value of Object.values(variables)) {
    if (value === undefined || !value.includes('\n')) continue;
    const breaks = value.replaceAll(/[^\n]/g, '');
    for (const quote of ['"', "'", '`']) rest = rest.replace(`${quote}${value}${quote}`, breaks);
  }
  return rest;
}
