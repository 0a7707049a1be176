import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMutants } from './mutants.ts';
import { document, missingOnClient, outcomesOf, summary } from './report.ts';

/** Runs the conformance tests, prints a line for each row, and writes the table into the documents. */

const PROJECT = join(import.meta.dirname, '..', '..');
const TIMEOUT_MS = 5 * 60_000;

const HELP = `npm run conformance: tests the client for the models row by row, and writes docs/conformance.md

  --recorded FOLDER  takes what a run of all tests has written there: jest.json (jest --json --outputFile) and
               conformance.jsonl (PARLEY_CONFORMANCE_TO)
  --mutants    instead, changes the client in one place at a time (test/conformance/mutants.json); the tests of the
               rows alone have to detect each change; takes minutes
  --only TEXT  only the changes whose name or path contains this; repeatable
`;

const { values } = parseArgs({
  options: {
    recorded: { type: 'string' },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.mutants) process.exitCode = (await runMutants(values.only)) ? 0 : 1;
else process.exitCode = (await checkRows(values.recorded)) ? 0 : 1;

/** Runs the tests of all rows, or reads what a run of them recorded in a folder. Returns whether all of them pass. */
async function checkRows(recorded: string | undefined): Promise<boolean> {
  const { json, evidence } = await (recorded === undefined ? runTests() : readTests(recorded));
  const { rows, others } = outcomesOf(json, evidence);
  for (const { row, outcome } of rows)
    console.log(`${row.id.padEnd(9)} ${row.side.padEnd(3)} ${outcome.padEnd(8)} ${row.title}`);
  for (const name of others) console.log(`FAILED, and belongs to no row: ${name}`);
  const missing = missingOnClient(rows);
  for (const { row } of missing)
    console.log(`${row.id} binds the client, and no test of it runs the client.`);
  console.log(`\n${summary(rows).join('\n')}`);
  await writeFile(join(PROJECT, 'docs', 'conformance.md'), document(rows));
  const failed = rows.some(({ outcome }) => outcome === 'fail' || outcome === 'no test');
  return !failed && others.length === 0 && missing.length === 0;
}

/** jest's report, and the recorded evidence. */
type Results = { readonly json: string; readonly evidence: string };

function filesIn(folder: string): { readonly file: string; readonly evidence: string } {
  return { file: join(folder, 'jest.json'), evidence: join(folder, 'conformance.jsonl') };
}

async function readTests(folder: string): Promise<Results> {
  const { file, evidence } = filesIn(folder);
  return { json: await readFile(file, 'utf8'), evidence: await readFile(evidence, 'utf8') };
}

/** Rejects when jest cannot be run at all. */
async function runTests(): Promise<Results> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const { file, evidence } = filesIn(folder);
  try {
    const jest = join(PROJECT, 'node_modules', 'jest', 'bin', 'jest.js');
    const args = ['--silent', '--json', `--outputFile=${file}`, '--testPathPatterns', 'test/conformance/'];
    const child = spawn(process.execPath, [jest, ...args], {
      cwd: PROJECT,
      env: { ...process.env, PARLEY_CONFORMANCE_TO: evidence },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: TIMEOUT_MS,
    });
    await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return await readTests(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
