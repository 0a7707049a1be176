import { styleText } from 'node:util';
import type { Check, CheckResult } from '../../configuration/index.ts';

const LABELS: Readonly<Record<CheckResult, string>> = {
  pass: 'pass',
  warn: 'WARN',
  fail: 'FAIL',
  skip: 'skip',
};
const COLORS = { pass: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const;

/** The longest name that the findings are aligned to. */
const MAX_NAME_WIDTH = 28;

export type ReportOptions = {
  readonly hasColors: boolean;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
};

/** Formats the checks as a table, each fix below its finding, and a line with the counts. */
export function formatTable(checks: readonly Check[], { hasColors, secrets }: ReportOptions): string[] {
  const width = Math.min(MAX_NAME_WIDTH, Math.max(0, ...checks.map(({ name }) => name.length)));
  const lines = checks.flatMap(({ name, result, finding, fix }) => {
    const label = hasColors
      ? styleText(COLORS[result], LABELS[result], { validateStream: false })
      : LABELS[result];
    return [
      `${label}  ${name.padEnd(width)}  ${finding}`,
      ...(fix === undefined ? [] : [`${' '.repeat(width + 8)}${fix}`]),
    ];
  });
  return [...lines, '', formatCounts(checks)].map((line) => hide(line, secrets));
}

function formatCounts(checks: readonly Check[]): string {
  const count = (result: CheckResult) => checks.filter((check) => check.result === result).length;
  return `${count('fail')} failed, ${count('warn')} warnings, ${count('pass')} passed, ${count('skip')} skipped.`;
}

/** Formats the checks as JSON: the layout is documented in docs/command-line.md. */
export function formatJson(checks: readonly Check[], { secrets }: ReportOptions): string {
  const isOk = checks.every(({ result }) => result !== 'fail');
  const results = checks.map(({ name, result, finding, fix }) => ({
    name,
    result,
    finding: hide(finding, secrets),
    fix: fix === undefined ? null : hide(fix, secrets),
  }));
  return JSON.stringify({ ok: isOk, checks: results }, undefined, 2);
}

/** Replaces secrets, in case a service repeats one in what it answers. */
function hide(text: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '(hidden)'), text);
}
