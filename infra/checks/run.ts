import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findCycles, findFolderCycles, findForbiddenImports, findEnvironmentAccess } from './imports.ts';
import { findDependencyProblems } from './dependencies.ts';
import { findUnusedExports } from './exports.ts';
import { findFolderProblems } from './folders.ts';
import { findLogEventProblems } from './names/log-events.ts';
import { findUnknownLogFields } from './names/log-fields.ts';
import { findRetiredWords } from './names/retired-words.ts';
import { findUnpermittedLicences } from './licences.ts';
import { findLockfileProblems } from './lockfile.ts';
import { findStaleNames } from './names/documents.ts';
import { findDeadLinks } from './links.ts';
import { findLongFiles } from './file-sizes.ts';
import { findOutgoingProblems } from './outgoing.ts';
import { findPortProblems } from './ports.ts';
import { findForbiddenContent } from './forbidden-content.ts';
import { PROJECT, readDependencies, readScriptNames, readSourceTree } from './source-tree.ts';

/** A named check; `run` returns one line per problem. */
type Check = { readonly name: string; readonly run: () => Promise<string[]> };

const TOOL_TIMEOUT_MS = 300_000;

const CHECKS: readonly Check[] = [
  { name: 'types', run: () => runTool('tsc', '--noEmit') },
  {
    name: 'lint',
    run: () =>
      runTool(
        'oxlint',
        '--type-aware',
        '--tsconfig',
        'tsconfig.json',
        '--quiet',
        '--format',
        'unix',
        '.',
        '.ci',
      ),
  },
  { name: 'format', run: () => runTool('oxfmt', '--check', '.', '.ci') },
  { name: 'imports', run: async () => findForbiddenImports(await readSourceTree()) },
  { name: 'exports', run: async () => findUnusedExports(await readSourceTree()) },
  {
    name: 'cycles',
    run: async () => {
      const files = await readSourceTree();
      return [...findCycles(files), ...findFolderCycles(files)];
    },
  },
  { name: 'environment', run: async () => findEnvironmentAccess(await readSourceTree()) },
  { name: 'sizes', run: async () => findLongFiles(await readSourceTree()) },
  { name: 'ports', run: async () => findPortProblems(await readSourceTree()) },
  { name: 'folders', run: async () => findFolderProblems(await readSourceTree()) },
  { name: 'words', run: async () => findRetiredWords(await readSourceTree()) },
  {
    name: 'events',
    run: async () => {
      const files = await readSourceTree();
      return [...findLogEventProblems(files), ...findUnknownLogFields(files)];
    },
  },
  { name: 'traces', run: async () => findForbiddenContent(await readSourceTree()) },
  { name: 'links', run: async () => findDeadLinks(await readSourceTree()) },
  {
    name: 'documents',
    run: async () => {
      const files = await readSourceTree();
      return [...findStaleNames(files, await readScriptNames()), ...findOutgoingProblems(files)];
    },
  },
  {
    name: 'dependencies',
    run: async () => findDependencyProblems(await readSourceTree(), await readDependencies()),
  },
  {
    name: 'reference',
    run: () => runTool('node', 'infra/cli/reference/write-reference.ts', '--check'),
  },
  { name: 'lockfile', run: () => findLockfileProblems() },
  { name: 'licences', run: () => findUnpermittedLicences() },
];

/** Runs an installed tool on the project. Returns its output if it failed, else nothing. */
async function runTool(name: string, ...args: string[]): Promise<string[]> {
  const bin = join(PROJECT, 'node_modules', '.bin');
  const child = spawn(join(bin, name), args, {
    cwd: PROJECT,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TOOL_TIMEOUT_MS,
  });
  const exit = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  const [exitCode, out, err] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  if (exitCode === '0') return [];
  const lines = `${out}${err}`.trimEnd().split('\n');
  return exitCode === '1' ? lines : [...lines, `${name} ended with ${exitCode}`];
}

async function runCheck({ name, run }: Check): Promise<boolean> {
  const start = performance.now();
  const problems = await run().catch((error: unknown) => [
    error instanceof Error ? error.message : String(error),
  ]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${problems.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(12)} ${seconds.padStart(5)} s`);
  for (const problem of problems) console.log(`     ${problem}`);
  return problems.length === 0;
}

// `npm run check -- types imports` runs only these checks.
const requestedNames = new Set(process.argv.slice(2));
const selectedChecks = CHECKS.filter(({ name }) => requestedNames.size === 0 || requestedNames.has(name));
let failed = 0;
// One after another: each check uses all cores, and the output stays in order.
for (const check of selectedChecks) if (!(await runCheck(check))) failed += 1;
if (failed > 0) {
  console.log(`${failed} of ${selectedChecks.length} checks failed.`);
  process.exitCode = 1;
}
