import * as v from 'valibot';
import { PRODUCT, productUse } from './product.ts';
import { EVIDENCE, type Evidence, type Row, ROWS } from './rows.ts';

export type RowOutcome = {
  readonly row: Row;
  readonly outcome: 'pass' | 'fail' | 'not applicable' | 'no test';
  /** What the tests of the row ran. */
  readonly evidence: ReadonlySet<Evidence>;
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
const evidenceLine = v.object({ test: v.string(), kind: v.picklist(EVIDENCE) });

/**
 * Reads jest's report, and the lines that `recordEvidence` wrote, into one outcome per row. `others` are failed tests
 * that belong to no row, and files that did not run. A skipped test does not pass. A report of all tests may be given: those of other folders
 * are left out.
 */
export function outcomesOf(json: string, evidence = ''): { rows: RowOutcome[]; others: string[] } {
  const files = v
    .parse(report, JSON.parse(json))
    .testResults.filter(({ name }) => name.includes('test/conformance/'));
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
  const evidenceByRow = parseEvidence(evidence);
  return {
    rows: ROWS.map((row) => ({
      row,
      outcome: outcomeOf(row, statuses.get(row.id)),
      evidence: evidenceByRow.get(row.id) ?? new Set(),
    })),
    others: [...failed.map(({ title }) => title), ...broken.map(({ name }) => name)],
  };
}

function outcomeOf(row: Row, statuses: readonly string[] | undefined): RowOutcome['outcome'] {
  if (statuses === undefined) return row.notApplicable === undefined ? 'no test' : 'not applicable';
  return statuses.every((status) => status === 'passed') ? 'pass' : 'fail';
}

function parseEvidence(text: string): Map<string, Set<Evidence>> {
  const evidenceByRow = new Map<string, Set<Evidence>>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const { test, kind } = v.parse(evidenceLine, JSON.parse(line));
    const id = /\b[A-Z]{3,4}-\d{3}(?= )/u.exec(test)?.[0];
    if (id !== undefined) evidenceByRow.set(id, (evidenceByRow.get(id) ?? new Set()).add(kind));
  }
  return evidenceByRow;
}

/** Rows that decide what the service does where nothing is documented, and ask nothing of the client. */
const SERVICE_DECISIONS = new Set(['CHAT-014', 'CHAT-076', 'LIM-027', 'LIM-028', 'VIS-022', 'VIS-023']);
/** Rows that decide how the client reads what the service leaves open; the simulator has nothing to do for them. */
const CLIENT_DECISIONS = new Set(['GEN-020', 'LIM-016', 'SPK-020', 'VID-015', 'VIS-032']);
/** Rows of the client that code of the bot meets, not the client library. Their tests run that code. */
const BOT_CODE = new Set(['LIM-019', 'VIS-029']);

const bindsClient = ({ id, side }: Row): boolean => side !== 'S' && !SERVICE_DECISIONS.has(id);
const bindsSimulator = ({ id, side }: Row): boolean => side !== 'C' && !CLIENT_DECISIONS.has(id);

const CLIENT = {
  'framed bytes': 'bytes, all framings',
  bytes: 'bytes',
  'client on simulator': 'simulator',
} as const satisfies Partial<Record<Evidence, string>>;

/** How a row is shown on the client: undefined if it is not. */
export function shownOnClient({ row, outcome, evidence }: RowOutcome): string | undefined {
  if (outcome !== 'pass') return undefined;
  if (BOT_CODE.has(row.id)) return 'code of the bot';
  for (const [kind, rowText] of Object.entries(CLIENT)) {
    if ([...evidence].some((each) => each === kind)) return rowText;
  }
  return undefined;
}

const shownOnSimulator = ({ outcome, evidence }: RowOutcome): boolean =>
  outcome === 'pass' && (evidence.has('simulator') || evidence.has('client on simulator'));

/** The rows that bind the client and whose tests run only the simulator, or nothing of the service. */
export const missingOnClient = (rows: readonly RowOutcome[]): RowOutcome[] =>
  rows.filter((each) => bindsClient(each.row) && shownOnClient(each) === undefined);

/** Returns the counts of all columns, one line each. */
export function summary(rows: readonly RowOutcome[]): string[] {
  const client = rows.filter(({ row }) => bindsClient(row));
  const simulator = rows.filter(({ row }) => bindsSimulator(row));
  const uses = rows.map(({ row }) => productUse(row).kind);
  const accounted = rows.filter(({ outcome }) => outcome !== 'no test').length;
  return [
    `${accounted} of ${rows.length} rows accounted for: ${countBy(rows.map(({ outcome }) => outcome))}`,
    `client: ${client.length} rows bind it: ${countBy(client.map((each) => shownOnClient(each) ?? 'not shown'))}`,
    `simulator: ${simulator.length} rows bind it: ${countBy(simulator.map((each) => (shownOnSimulator(each) ? 'shown' : 'not shown')))}`,
    `product: ${uses.length} rows: ${countBy(uses)}`,
  ];
}

function countBy(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}

const GROUPS: Readonly<Record<string, string>> = {
  GEN: 'Addresses, keys, headers',
  CHAT: 'Chat: requests',
  MSG: 'Chat: messages',
  RES: 'Chat: responses',
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

/** Returns the table as a document. It has no dates and times, so that it changes only when a result does. */
export function document(rows: readonly RowOutcome[]): string {
  const groups = [...new Set(rows.map(({ row }) => row.group))].flatMap((group) => [
    `## ${GROUPS[group] ?? group}`,
    '',
    '| Row | Requirement | Client | Simulator | Product |',
    '| --- | --- | --- | --- | --- |',
    ...rows.filter(({ row }) => row.group === group).map(toLine),
    '',
  ]);
  const journeys = Object.entries(PRODUCT.journeys).map(
    ([name, { file, what }]) => `| ${name} | [${file}](../test/journeys/${file}) | ${what} |`,
  );
  return [
    ...INTRODUCTION,
    ...summary(rows).map((line) => `- ${line}.`),
    '',
    ...groups,
    ...JOURNEYS_HEAD,
    ...journeys,
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

const INTRODUCTION = [
  '# Conformance',
  '',
  'Written by `npm run conformance`: the requirements of the service behind the bot, and how each of them is shown.',
  'Where the service documents nothing, the row states the decision.',
  '',
  '- Client: what a passing test of the row ran the client library against. `bytes, all framings`: hand-written bytes,',
  '  one byte per chunk, with CR LF, comments, byte order mark and split code points (test/conformance/framings.ts).',
  '  `bytes`: hand-written bytes. `simulator`: our simulator only. A dash: the row does not bind the client.',
  '- Simulator: whether a passing test of the row sent requests to our simulator.',
  '- Product: the journeys through Slack or Discord that use the row, or the reason why no user of the bot can want it.',
  '  `not yet`: neither. A dash: the row describes the service and asks nothing of its clients.',
  '',
  '`npm run conformance -- --mutants` changes the meaning of the client in one place at a time',
  '(test/conformance/mutants.json). The tests of the rows alone have to detect each change.',
  '',
];

const JOURNEYS_HEAD = ['## Journeys', '', '| Name | Test | What happens |', '| --- | --- | --- |'];

function toLine(each: RowOutcome): string {
  const { row, outcome } = each;
  const client = shownOnClient(each) ?? (bindsClient(row) ? '**not shown**' : '—');
  const simulator = shownOnSimulator(each) ? 'shown' : bindsSimulator(row) ? '**not shown**' : '—';
  const failed = outcome === 'pass' ? '' : ` **${row.notApplicable ?? outcome}**`;
  return `| ${row.id} | ${row.title}${failed} | ${client} | ${simulator} | ${toProductCell(row)} |`;
}

function toProductCell(row: Row): string {
  const use = productUse(row);
  switch (use.kind) {
    case 'journey':
      return use.journeys.join(', ');
    case 'reason':
      return `none: ${use.reason}`;
    case 'not yet':
      return 'not yet';
    case 'service only':
      return '—';
  }
}
