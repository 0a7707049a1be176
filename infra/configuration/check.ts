/**
 * `fail`: the configuration cannot work, and waiting does not help. `warn`: it may work, only a part does not work, or a
 * service could not be reached. `skip`: nothing was checked, because it does not apply or something that it needs is missing.
 */
export type CheckResult = 'pass' | 'warn' | 'fail' | 'skip';

/** The result of one check. Never contains a credential. */
export type Check = {
  /** What was checked, usually a variable name. */
  readonly name: string;
  readonly result: CheckResult;
  /** The finding, as a sentence. */
  readonly finding: string;
  /** What to do, as a sentence. Absent when the check passed, and where there is nothing to do. */
  readonly fix?: string;
};

/** Creates the result of a check that passed. */
export const pass = (name: string, finding: string): Check => ({ name, result: 'pass', finding });
export const warn = (name: string, finding: string, fix: string): Check => ({
  name,
  result: 'warn',
  finding,
  fix,
});
export const fail = (name: string, finding: string, fix: string): Check => ({
  name,
  result: 'fail',
  finding,
  fix,
});

export const skip = (name: string, finding: string, fix?: string): Check => ({
  name,
  result: 'skip',
  finding,
  ...(fix !== undefined && { fix }),
});

const RESULT_LABELS: Readonly<Record<CheckResult, string>> = {
  pass: 'ok  ',
  warn: 'WARN',
  fail: 'FAIL',
  skip: 'skip',
};

/** Formats checks: the finding, and below it what to do, once for consecutive checks with the same advice. */
export function formatChecks(checks: readonly Check[]): string[] {
  return checks.flatMap(({ name, result, finding, fix }, index) => [
    `  ${RESULT_LABELS[result]}  ${name}: ${finding}`,
    ...(fix === undefined || fix === checks[index + 1]?.fix ? [] : [`        ${fix}`]),
  ]);
}

export const getFailed = (checks: readonly Check[]): Check[] =>
  checks.filter(({ result }) => result === 'fail');

/** Returns the checks that a person should read. */
export const getNotPassed = (checks: readonly Check[]): Check[] =>
  checks.filter(({ result }) => result === 'warn' || result === 'fail');
