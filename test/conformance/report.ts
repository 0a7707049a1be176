import * as v from 'valibot';
import { type Row, ROWS } from './rows.ts';

export type RowOutcome = {
  readonly row: Row;
  readonly outcome: 'pass' | 'fail' | 'not applicable' | 'no test';
};

const report = v.object({
  testResults: v.array(
    v.object({
      name: v.string(),
      message: v.string(),
      assertionResults: v.array(v.object({ title: v.string(), status: v.string() })),
    }),
  ),
});

/**
 * What jest's report says of each row. `others` are tests beside the rows that failed, and files that could not be run.
 * A test that was passed over has not been passed.
 */
export function outcomesOf(json: string): { rows: RowOutcome[]; others: string[] } {
  const files = v.parse(report, JSON.parse(json)).testResults;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const statuses = new Map<string, string[]>();
  for (const { title, status } of tests) {
    const id = /^[A-Z]{3,4}-\d{3}(?= )/u.exec(title)?.[0];
    if (id !== undefined) statuses.set(id, [...(statuses.get(id) ?? []), status]);
  }
  const failed = tests.filter(
    ({ status, title }) => status === 'failed' && !/^[A-Z]{3,4}-\d{3} /u.test(title),
  );
  const broken = files.filter(({ assertionResults }) => assertionResults.length === 0);
  return {
    rows: ROWS.map((row) => ({ row, outcome: outcomeOf(row, statuses.get(row.id)) })),
    others: [...failed.map(({ title }) => title), ...broken.map(({ name }) => name)],
  };
}

function outcomeOf(row: Row, statuses: readonly string[] | undefined): RowOutcome['outcome'] {
  if (statuses === undefined) return row.notApplicable === undefined ? 'no test' : 'not applicable';
  return statuses.every((status) => status === 'passed') ? 'pass' : 'fail';
}

/** `345 of 345 rows accounted for: 344 pass, 1 not applicable`. */
export function summary(rows: readonly RowOutcome[]): string {
  const kinds = ['pass', 'fail', 'not applicable', 'no test'] as const;
  const counts = kinds.map((kind) => ({
    kind,
    count: rows.filter(({ outcome }) => outcome === kind).length,
  }));
  const accounted = rows.filter(({ outcome }) => outcome !== 'no test').length;
  const parts = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
  return `${accounted} of ${rows.length} rows accounted for: ${parts.join(', ')}`;
}

const SIDES: Readonly<Record<Row['side'], string>> = {
  C: 'client',
  S: 'simulator',
  CS: 'both',
  N: 'not documented',
};

const GROUPS: Readonly<Record<string, string>> = {
  GEN: 'Addresses, keys, headers',
  CHAT: 'Chat: requests',
  MSG: 'Chat: messages',
  RES: 'Chat: answers',
  STR: 'Chat: streams',
  LEG: 'Chat: the legacy shape',
  MOD: 'Models',
  SPK: 'Speech',
  VIS: 'Vision: jobs',
  VID: 'Vision: stored videos',
  VLM: 'Endpoints named only by their limits',
  ERR: 'Errors',
  LIM: 'Limits',
};

/** The table as a document. It holds no dates and no times, so that it changes only when a result does. */
export function document(rows: readonly RowOutcome[]): string {
  const groups = [...new Set(rows.map(({ row }) => row.group))].flatMap((group) => [
    `## ${GROUPS[group] ?? group}`,
    '',
    '| Row | Binds | Result | What it says |',
    '| --- | --- | --- | --- |',
    ...rows.filter(({ row }) => row.group === group).map(lineOf),
    '',
  ]);
  return [
    '# Conformance',
    '',
    'Written by `npm run conformance`: each row of the requirement list of the service behind the bot, and whether its',
    'test passes. A row binds the client, the simulator or both; where the service leaves something open, the row',
    'stands for the decision taken.',
    '',
    `${summary(rows)}.`,
    '',
    ...groups,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function lineOf({ row, outcome }: RowOutcome): string {
  const reason = row.notApplicable === undefined ? '' : `: ${row.notApplicable}`;
  return `| ${row.id} | ${SIDES[row.side]} | ${outcome}${reason} | ${row.title} |`;
}
