import { parse } from 'dotenv';
import leven from 'leven';
import { type Check, fail, warn } from './check.ts';
import { VARIABLES, type Variables } from './variables.ts';

export type EnvFile = { readonly variables: Variables; readonly checks: readonly Check[] };

/** So many letters more, less or other are a slip of the fingers. */
const MAX_SLIPS = 2;
/** The share of a name that may differ where it is at least of the same service. */
const MAX_DIFFERENT = 0.4;

/** What a line of `.env` may be, beside blank or a comment. As dotenv has it. */
const NAMED = /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)/;

/** Reads the text of `.env`, and checks that all of it is read: names, and lines that are none. */
export function readEnvFile(text: string): EnvFile {
  const variables = parse(text);
  const lines = withoutLongValues(text, variables).split(/\r?\n/);
  return { variables, checks: [...checkNames(variables), ...checkLines(lines)] };
}

/**
 * Warns of variables of the process that seem to be misspelled ones of ours. Unlike `.env`, it holds those of other programs, which
 * nobody wants to hear of.
 */
export function checkEnvironment(environment: Variables): Check[] {
  return Object.keys(environment).flatMap((name) => {
    const near = nearest(name);
    if (!/^(?:SLACK|DISCORD|UPSTREAM)_/.test(name) || near === undefined || near.slips > MAX_SLIPS) return [];
    return [warn(name, 'the environment has it, and Parley does not read it.', `Did you mean ${near.name}?`)];
  });
}

function checkNames(variables: Variables): Check[] {
  return Object.keys(variables).flatMap((name) => {
    if (Object.hasOwn(VARIABLES, name)) return [];
    const near = nearest(name);
    const found = '.env has it, and Parley does not read it.';
    if (near === undefined) return [warn(name, found, 'Take it out, unless another program needs it.')];
    const fix = `Did you mean ${near.name} (${VARIABLES[near.name]})?`;
    return [near.slips <= MAX_SLIPS ? fail(name, found, fix) : warn(name, found, fix)];
  });
}

/** The variable of ours that is most like this name, and by how many letters it differs; undefined if none is like it. */
function nearest(name: string): { readonly name: string; readonly slips: number } | undefined {
  if (Object.hasOwn(VARIABLES, name)) return undefined;
  const letters = lettersOf(name);
  const [best] = Object.keys(VARIABLES)
    .map((known) => ({ name: known, slips: leven(letters, lettersOf(known)) }))
    .toSorted((a, b) => a.slips - b.slips);
  if (best === undefined) return undefined;
  const sameService = serviceOf(name) !== undefined && serviceOf(name) === serviceOf(best.name);
  const most = sameService ? Math.max(MAX_SLIPS, letters.length * MAX_DIFFERENT) : MAX_SLIPS;
  // Of a short name, two other letters make another word.
  return best.slips <= Math.min(most, letters.length / 2) ? best : undefined;
}

const lettersOf = (name: string): string => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
const serviceOf = (name: string): string | undefined =>
  /^(?:SLACK|DISCORD|UPSTREAM)/i.exec(name)?.[0].toUpperCase();

function checkLines(lines: readonly string[]): Check[] {
  const seen = new Set<string>();
  return lines.flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const name = NAMED.exec(line)?.[1];
    // The line itself is not shown: it may be a credential.
    if (name === undefined) {
      return [
        fail(
          `.env, line ${index + 1}`,
          'it is not of the form NAME=value, and is not read.',
          'Write it so, or begin it with # to keep it as a comment.',
        ),
      ];
    }
    if (seen.has(name)) {
      return [
        warn(name, `.env has it more than once; line ${index + 1} counts.`, 'Take the other lines out.'),
      ];
    }
    seen.add(name);
    return [];
  });
}

/** A value in quotes may go over several lines, which look like variables or like nothing. The number of lines stays. */
function withoutLongValues(text: string, variables: Variables): string {
  let rest = text.replaceAll('\r\n', '\n');
  for (const value of Object.values(variables)) {
    if (value === undefined || !value.includes('\n')) continue;
    const breaks = value.replaceAll(/[^\n]/g, '');
    for (const quote of ['"', "'", '`']) rest = rest.replace(`${quote}${value}${quote}`, breaks);
  }
  return rest;
}
