import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomesOf, type RowOutcome, document, summary } from './report.ts';

/** Runs the conformance tests, prints a line for each row, and writes the table into the documents. */

const PROJECT = join(import.meta.dirname, '..', '..');
const DEADLINE_MS = 5 * 60_000;

/** What jest says of the tests, as JSON text. Rejects when jest cannot be run at all. */
async function results(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const file = join(folder, 'results.json');
  try {
    const jest = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
    const asked = ['--silent', '--json', `--outputFile=${file}`, '--testPathPatterns', 'test/conformance/'];
    const child = spawn(process.execPath, [jest, ...asked], {
      cwd: PROJECT,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: DEADLINE_MS,
    });
    await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const line = ({ row, outcome }: RowOutcome): string => {
  const reason = row.notApplicable === undefined ? '' : `: ${row.notApplicable}`;
  return `${row.id.padEnd(9)} ${row.side.padEnd(3)} ${`${outcome}${reason}`.padEnd(15)} ${row.title}`;
};

const { rows, others } = outcomesOf(await results());
for (const each of rows) console.log(line(each));
for (const name of others) console.log(`FAILED beside the rows: ${name}`);
console.log(`\n${summary(rows)}`);
await writeFile(join(PROJECT, 'docs', 'conformance.md'), document(rows));
const bad = rows.some(({ outcome }) => outcome === 'fail' || outcome === 'no test');
if (bad || others.length > 0) process.exitCode = 1;
