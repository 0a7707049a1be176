import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';

const covered = v.object({
  suite: v.string(),
  ms: v.number(),
  passed: v.boolean(),
  /** Of each file, where the functions that ran begin and end. */
  files: v.record(v.string(), v.array(v.tuple([v.number(), v.number()]))),
});

/** What a suite of tests ran, and how long it took. */
export type Covered = v.InferOutput<typeof covered>;

/** What runs a suite, as far as this file must know it. */
type Suite<Result> = () => Promise<Result & { readonly numFailingTests: number }>;

let session: Promise<Session> | undefined;

async function connect(): Promise<Session> {
  const started = new Session();
  started.connect();
  await started.post('Profiler.enable');
  return started;
}

/** Runs a suite and writes into a folder which functions of ours it called. Suites of one process run one after the other. */
export async function recordCovered<Result>(
  { to, project, suite }: { readonly to: string; readonly project: string; readonly suite: string },
  run: Suite<Result>,
): Promise<Result> {
  const coverage = await (session ??= connect());
  // Only whether a function ran: V8 optimizes no function whose calls it counts, which takes twice the time. Started anew for each
  // suite, since V8 reports a function once.
  await coverage.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });
  const start = performance.now();
  const result = await run();
  const ms = Math.round(performance.now() - start);
  const top = `${pathToFileURL(project).href}/`;
  const files: Covered['files'] = {};
  for (const { url, functions } of (await coverage.post('Profiler.takePreciseCoverage')).result) {
    const path = url.slice(top.length);
    if (!url.startsWith(top) || !/^(?:shared|functions)\//u.test(path)) continue;
    const ran = functions.flatMap(({ ranges }) => ranges.filter((range) => range.count > 0).slice(0, 1));
    if (ran.length > 0) files[path] = ran.map((range) => [range.startOffset, range.endOffset]);
  }
  await coverage.post('Profiler.stopPreciseCoverage');
  const name = relative(project, suite);
  const facts: Covered = { suite: name, ms, passed: result.numFailingTests === 0, files };
  await mkdir(to, { recursive: true });
  await writeFile(join(to, `${name.replaceAll('/', '__')}.json`), JSON.stringify(facts));
  return result;
}

/** What was recorded in a folder; nothing if there is none. */
export async function readCovered(folder: string): Promise<Covered[]> {
  const names = await readdir(folder).catch(() => []);
  const texts = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => readFile(join(folder, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => v.parse(covered, JSON.parse(text)));
}
