import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Claim } from './slack-claims.ts';

/** What the official types say against a claim. */
export type TypeDeviation = { readonly claim: Claim; readonly error: string };

const PROJECT = join(import.meta.dirname, '..', '..');
/** Inside the project, where the packages are found. */
const FOLDER = join(PROJECT, '.build', 'contract');

const TYPES = [
  'AnyChunk',
  'Arguments',
  'Closing',
  'Envelope',
  'KnownBlock',
  'Press',
  'RespondArguments',
  'Response',
  'Shortcut',
  'SlashCommand',
  'Submission',
  'WebClient',
];
const HEAD = `import type { ${TYPES.join(', ')} } from '../../test/contract/official-types.ts';\n`;

const CONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ['claims.ts'],
};

/** Has the type checker hold each claim against its type: unknown fields, missing ones, wrong values. */
export async function typeCheck(claims: readonly Claim[]): Promise<TypeDeviation[]> {
  mkdirSync(FOLDER, { recursive: true });
  const first = HEAD.split('\n').length;
  const lines = claims.map(
    ({ type, value }, index) => `export const claim${index} = ${JSON.stringify(value)} satisfies ${type};`,
  );
  writeFileSync(join(FOLDER, 'claims.ts'), `${HEAD}${lines.join('\n')}\n`);
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(CONFIG));
  const tsc = join(PROJECT, 'node_modules', 'typescript', 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '--pretty', 'false', '-p', FOLDER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [comment, code] = await Promise.all([text(child.stdout), ended]);
  const deviations = comment.split(/\n(?=\S)/u).flatMap((error): TypeDeviation[] => {
    const line = /claims\.ts\((\d+),\d+\): (?<words>.*)/su.exec(error);
    const claim = claims[Number(line?.[1]) - first];
    return claim ? [{ claim, error: line?.groups?.['words']?.trim() ?? '' }] : [];
  });
  if (code !== 0 && deviations.length === 0) throw new Error(`tsc ended with ${code}: ${comment}`);
  return deviations;
}
