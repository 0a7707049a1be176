import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cycles, forbidden, strayEnvironment } from './imports.ts';
import { crowdedFolders } from './folders.ts';
import { retiredWords } from './retired-words.ts';
import { unfree } from './licences.ts';
import { incomplete } from './lockfile.ts';
import { staleNames } from './documents.ts';
import { deadLinks } from './links.ts';
import { tooLong } from './sizes.ts';
import { findForbiddenContent } from './forbidden-content.ts';
import { PROJECT, scriptNames, sourceTree } from './tree.ts';

/** One check: what it is called, and what it found, a line per fault. */
type Check = { readonly name: string; readonly run: () => Promise<string[]> };

const DEADLINE_MS = 300_000;

const CHECKS: readonly Check[] = [
  { name: 'types', run: () => tool('tsc', '--noEmit') },
  {
    name: 'lint',
    run: () =>
      tool(
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
  { name: 'format', run: () => tool('oxfmt', '--check', '.', '.ci') },
  { name: 'imports', run: async () => forbidden(await sourceTree()) },
  { name: 'cycles', run: async () => cycles(await sourceTree()) },
  { name: 'environment', run: async () => strayEnvironment(await sourceTree()) },
  { name: 'sizes', run: async () => tooLong(await sourceTree()) },
  { name: 'folders', run: async () => crowdedFolders(await sourceTree()) },
  { name: 'words', run: async () => retiredWords(await sourceTree()) },
  { name: 'traces', run: async () => findForbiddenContent(await sourceTree()) },
  { name: 'links', run: async () => deadLinks(await sourceTree()) },
  { name: 'documents', run: async () => staleNames(await sourceTree(), await scriptNames()) },
  { name: 'lockfile', run: () => incomplete() },
  { name: 'licences', run: () => unfree() },
];

/** Runs an installed tool over the project. Resolves with what it said if it failed, and with nothing if not. */
async function tool(name: string, ...args: string[]): Promise<string[]> {
  const bin = join(PROJECT, 'node_modules', '.bin');
  const child = spawn(join(bin, name), args, {
    cwd: PROJECT,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  const [end, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (end === '0') return [];
  const said = `${out}${err}`.trimEnd().split('\n');
  return end === '1' ? said : [...said, `${name} ended with ${end}`];
}

async function report({ name, run }: Check): Promise<boolean> {
  const start = performance.now();
  const faults = await run().catch((error: unknown) => [
    error instanceof Error ? error.message : String(error),
  ]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name.padEnd(12)} ${seconds.padStart(5)} s`);
  for (const fault of faults) console.log(`     ${fault}`);
  return faults.length === 0;
}

// `npm run check -- types imports` runs those alone.
const asked = new Set(process.argv.slice(2));
const chosen = CHECKS.filter(({ name }) => asked.size === 0 || asked.has(name));
let failed = 0;
// One after the other: each uses all cores by itself, and the lines stay in order.
for (const check of chosen) if (!(await report(check))) failed += 1;
if (failed > 0) {
  console.log(`${failed} of ${chosen.length} checks failed.`);
  process.exitCode = 1;
}
