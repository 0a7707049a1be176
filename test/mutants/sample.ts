import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { PROJECT, type SourceFile } from '../../infra/checks/source-tree.ts';
import { type Mutant, mutantsOf } from './mutate.ts';

/** What is changed, and one of how many changes is tried: fewer where there is more code that means the same. */
const AREAS: readonly { readonly path: RegExp; readonly oneOf: number }[] = [
  { path: /^shared\/(?:rate-limits|billing\/budgets)\//u, oneOf: 8 },
  { path: /^shared\/storage\//u, oneOf: 40 },
  { path: /^shared\/upstream\/(?!examples\/)/u, oneOf: 100 },
  { path: /^shared\/platforms\/(?!.*manifest)/u, oneOf: 180 },
  {
    path: /^shared\/(?:billing|chat|commands|context|installs|intake|ports|privacy|settings|summary|utils|video|voice|worker)\//u,
    oneOf: 80,
  },
];

const SAMPLE = join(import.meta.dirname, 'sampled.json');

/** Which of the changes are tried: share `part` of `parts`, of files whose path begins with one of `only` if any. */
export type Choice = {
  /** Draws another sample than the one that is kept. */
  readonly seed?: number | undefined;
  readonly part: number;
  readonly parts: number;
  readonly only: readonly string[];
};

const rule = v.strictObject({ path: v.string(), rule: v.string(), find: v.string(), replace: v.string() });
/** A change by hand that breaks a rule: text that stands once in a file, and what it is replaced with. */
export type Rule = v.InferOutput<typeof rule>;

const listed = v.record(v.string(), v.strictObject({ where: v.string(), reason: v.string() }));

/** Changes that no suite notices, by their id, each with the reason. */
export const readListed = async (): Promise<v.InferOutput<typeof listed>> =>
  v.parse(listed, JSON.parse(await readFile(join(import.meta.dirname, 'listed.json'), 'utf8')));

/** The changes that break a rule, and the rules whose text no longer stands in its file exactly once: they are to be written anew. */
export async function readRules(): Promise<{ readonly mutants: Mutant[]; readonly stale: Rule[] }> {
  const rules = v.parse(
    v.array(rule),
    JSON.parse(await readFile(join(import.meta.dirname, 'rules.json'), 'utf8')),
  );
  const mutants: Mutant[] = [];
  const stale: Rule[] = [];
  for (const one of rules) {
    const text = await readFile(join(PROJECT, one.path), 'utf8').catch(() => '');
    const mutant = mutantOf(one, text);
    if (mutant === undefined) stale.push(one);
    else mutants.push(mutant);
  }
  return { mutants, stale };
}

/** The change that a rule is broken with, in the text of its file; undefined where what it changes does not stand there once. */
export function mutantOf({ path, rule: name, find, replace }: Rule, text: string): Mutant | undefined {
  const start = text.indexOf(find);
  if (start === -1 || text.includes(find, start + 1)) return undefined;
  const line = text.slice(0, start).split('\n').length;
  const change = { start, end: start + find.length, from: find, to: replace };
  return { id: hashOf(`${path} ${name}`).slice(0, 8), path, line, within: name, operator: 'rule', ...change };
}

/** The ids of the changes that are tried where no seed is given. Changed when code that it names is no more. */
export const readSample = async (): Promise<ReadonlySet<string>> =>
  new Set(v.parse(v.array(v.string()), JSON.parse(await readFile(SAMPLE, 'utf8'))));

/** Another sample: the same changes for the same seed as long as the code they change is the same. */
export function sampled(
  files: readonly SourceFile[],
  { seed, only }: Choice & { readonly seed: number },
): Mutant[] {
  return files.flatMap((file) => {
    const area = AREAS.find(({ path }) => path.test(file.path));
    if (area === undefined || !file.path.endsWith('.ts') || !isAsked(file.path, only)) return [];
    return mutantsOf(file).filter(({ id }) => numberOf(`${seed} ${id}`) % area.oneOf === 0);
  });
}

/** The changes of the sample that is kept, or of the one that a seed draws. */
export const chosenFrom = (
  files: readonly SourceFile[],
  choice: Choice,
  selectedIds: ReadonlySet<string>,
): Mutant[] =>
  choice.seed === undefined
    ? files
        .filter(
          ({ path }) =>
            path.endsWith('.ts') && AREAS.some((area) => area.path.test(path)) && isAsked(path, choice.only),
        )
        .flatMap(mutantsOf)
        .filter(({ id }) => selectedIds.has(id))
    : sampled(files, { ...choice, seed: choice.seed });

export const isAsked = (path: string, only: readonly string[]): boolean =>
  only.length === 0 || only.some((prefix) => path.startsWith(prefix));

/** One share of them. Together the shares are all of them, and none is in two. */
export const shareOf = (mutants: readonly Mutant[], { part, parts }: Choice): Mutant[] =>
  mutants.filter(({ id }) => numberOf(`share ${id}`) % parts === part % parts);

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const numberOf = (text: string): number => Number.parseInt(hashOf(text).slice(0, 8), 16);
