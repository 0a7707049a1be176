import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';

/** The suites that are asked: all but those that start whole systems. */
export const SUITES =
  'test/(aws|billing|chat|commands|conformance/[a-z-]+.test|documents|domain|facts|faults|functions|i18n|image-files|integrations|knowledge|limits|mcp|media|platforms|ports|privacy|private-data|rate-limits|runtime|scheduled|schedules|search|settings|storage|summary|task-queue|tools|transcript|upstream|utils|video|videos|voice|weekly-summary|worker)';

export const ASKED = new RegExp(`^${SUITES}`, 'u');

const covered = v.object({
  suite: v.string(),
  ms: v.number(),
  passed: v.boolean(),
  /** The changes whose functions it called. */
  ran: v.array(v.string()),
});

/** Which changes a suite of tests ran, and how long it took. */
export type Covered = v.InferOutput<typeof covered>;

const marksShape = v.object({
  /** The changes that are marked. */
  ids: v.array(v.string()),
  /** Of each file what is inserted at which offset, in the order of the file. */
  files: v.record(v.string(), v.array(v.tuple([v.number(), v.string()]))),
});

/** Statements in functions: where they run, a suite ran the code of a change. */
export type Marks = v.InferOutput<typeof marksShape>;
export type Insertions = Marks['files'][string];

/** What a mark does where the functions of these changes are entered. */
export const markOf = (ids: readonly string[]): string =>
  `globalThis[Symbol.for('parley.ran')].add('${ids.join(' ')}')`;
const RAN = Symbol.for('parley.ran');

const PROJECT = join(import.meta.dirname, '..', '..');
const marksIn = (folder: string): string => join(folder, 'marks.json');
const SUITE_RECORD = /\.test\.ts\.json$/u;

/** Empties the folder, and says in it which functions are to be marked. */
export async function prepareRecord(folder: string, marks: Marks): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(marksIn(folder), JSON.stringify(marks));
}

/** The changes that the record of a folder is about. */
export async function readPrepared(folder: string): Promise<ReadonlySet<string>> {
  const text = await readFile(marksIn(folder), 'utf8').catch(() => '{"ids":[],"files":{}}');
  return new Set(v.parse(marksShape, JSON.parse(text)).ids);
}

/** The file with its marks. Lines stay the same. */
export function insertMarks(text: string, insertions: Insertions): string {
  const parts: string[] = [];
  let from = 0;
  for (const [offset, inserted] of insertions) {
    parts.push(text.slice(from, offset), inserted);
    from = offset;
  }
  return parts.join('') + text.slice(from);
}

/** What runs a suite, as far as this file must know it. */
type Run<Result> = () => Promise<Result & { readonly numFailingTests: number }>;

/** Runs a suite and writes into the folder which changes its code called. Suites of one process run one after the other. */
export type SuiteRecorder = <Result>(suite: string, run: Run<Result>) => Promise<Result>;

/**
 * Marks, in the files that this process loads from now on, the functions that the folder names. V8's own coverage takes a third of a
 * second for each suite: it walks through the whole heap, and throws away all optimized code. Undefined where nothing is prepared.
 */
export function startRecording(folder: string): SuiteRecorder | undefined {
  if (!existsSync(marksIn(folder))) return undefined;
  const marks = v.parse(marksShape, JSON.parse(readFileSync(marksIn(folder), 'utf8')));
  const byUrl = new Map(
    Object.entries(marks.files).map(([path, file]) => [pathToFileURL(join(PROJECT, path)).href, file]),
  );
  const ran = new Set<string>();
  Reflect.set(globalThis, RAN, ran);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const insertions = byUrl.get(url);
      if (insertions === undefined || loaded.source === undefined) return loaded;
      const text =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: insertMarks(text, insertions) };
    },
  });
  return async (suite, run) => {
    ran.clear();
    const start = performance.now();
    const result = await run();
    const ms = Math.round(performance.now() - start);
    const name = relative(PROJECT, suite);
    if (!ASKED.test(name)) return result;
    const changes = [...new Set([...ran].flatMap((ids) => ids.split(' ')))];
    const facts: Covered = { suite: name, ms, passed: result.numFailingTests === 0, ran: changes };
    await writeFile(join(folder, `${name.replaceAll('/', '__')}.json`), JSON.stringify(facts));
    return result;
  };
}

/** What was recorded in a folder; nothing if there is none. */
export async function readCovered(folder: string): Promise<Covered[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = names
    .filter((name) => SUITE_RECORD.test(name))
    .map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => v.parse(covered, JSON.parse(text)));
}
