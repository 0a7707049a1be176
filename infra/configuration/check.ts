/**
 * `fail`: it cannot work as it is configured, and waiting does not help. `warn`: it may work, or only a part does not, or nothing is
 * known because a service could not be reached.
 */
export type CheckResult = 'pass' | 'warn' | 'fail';

/** What one check came to. Never holds the value of a credential. */
export type Check = {
  /** What was looked at: mostly the name of a variable. */
  readonly name: string;
  readonly result: CheckResult;
  /** What was found, as a sentence. */
  readonly found: string;
  /** What to do about it, as a sentence. Absent where the check passed. */
  readonly fix?: string;
};

export const pass = (name: string, found: string): Check => ({ name, result: 'pass', found });
export const warn = (name: string, found: string, fix: string): Check => ({
  name,
  result: 'warn',
  found,
  fix,
});
export const fail = (name: string, found: string, fix: string): Check => ({
  name,
  result: 'fail',
  found,
  fix,
});

const MARKS: Readonly<Record<CheckResult, string>> = { pass: 'ok  ', warn: 'WARN', fail: 'FAIL' };

/** The lines that tell of these checks: what was found, and below it what to do, once for those in a row with the same to do. */
export function linesOf(checks: readonly Check[]): string[] {
  return checks.flatMap(({ name, result, found, fix }, index) => [
    `  ${MARKS[result]}  ${name}: ${found}`,
    ...(fix === undefined || fix === checks[index + 1]?.fix ? [] : [`        ${fix}`]),
  ]);
}

export const failed = (checks: readonly Check[]): Check[] => checks.filter(({ result }) => result === 'fail');

/** Those that a person should read. */
export const notPassed = (checks: readonly Check[]): Check[] =>
  checks.filter(({ result }) => result !== 'pass');
