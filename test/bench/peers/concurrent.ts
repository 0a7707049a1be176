import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import * as v from 'valibot';
import type { TemplateBuild } from '../../../infra/local/emulator.ts';
import { buildTemplate } from '../../../infra/local/template/build.ts';
import { processorMs } from '../measured-process.ts';
import { ask, isWhole, type Question, type Script } from './answers.ts';
import type { Figure, Section } from './figures.ts';
import { PEOPLE, peakMb, startParley, startPeer, type Subject } from './subjects.ts';

/** Parley's worker gets this much memory for a thousand answers. */
const MEMORY_MB = 512;
/** One minute: long enough that a hundred have begun before the first one ends. */
const SCRIPT: Script = { tokens: 200, paceMs: 300 };
/** The numbers of answers at once: `PEERS_AT_ONCE=1,10` for a quick look, `PEERS_AT_ONCE=1000` for as many as there are people. */
const COUNTS = (process.env['PEERS_AT_ONCE'] ?? '1,10,100').split(',').map(Number);
/**
 * The questions come one after the other, at this interval: the local tables need some ten ms for each, and a hundred questions in the
 * same instant would exceed the second after which Parley takes the tables of its limits to be unavailable.
 */
const ASK_INTERVAL_MS = 100;
/** For all questions of a run together. */
const TIMEOUT_MS = 300_000;
const POLL_MS = 5;
/** Requests and processor time after an answer belong to it. */
const SETTLED_MS = 3_000;
/** No limit of the models: only the processes are measured. */
const UNLIMITED = { chat: { perMinute: 6_000_000, burst: 100_000 } } as const;

/** One run with so many questions at once. Times in ms. */
type Run = {
  readonly answers: number;
  /** From the last token of the model to the end of the message in Slack, of each answer. */
  readonly lagsMs: readonly number[];
  readonly processorMsEach: number;
  readonly peakMb: number;
};

/** Many answers at once in one process, one bot after the other. */
export async function concurrentSection(folder: string): Promise<Section[]> {
  const runs = new Map<string, Map<number, Run>>();
  const starts = [
    async () =>
      startParley({ deployment: await forMany(join(folder, 'many')), memoryMb: MEMORY_MB }, UNLIMITED),
    () => startPeer('Chat SDK', 'chat-sdk', folder, {}, UNLIMITED),
    () => startPeer('Bolt', 'bolt', folder, {}, UNLIMITED),
  ];
  for (const start of starts) {
    const subject = await start();
    const ofSubject = new Map<number, Run>();
    runs.set(subject.name, ofSubject);
    try {
      for (const count of COUNTS) {
        const run = await runAtOnce(subject, count);
        ofSubject.set(count, run);
        console.error(`peers, concurrent, ${subject.name}: ${run.answers} of ${count} answered`);
      }
    } finally {
      // The tables of the local system may still be busy; what was measured counts nevertheless.
      await subject.close().catch(console.error);
    }
  }
  const figure = (
    count: number,
    what: string,
    unit: string,
    of: (run: Run) => readonly number[],
    more: Pick<Figure, 'digits' | 'isGain'> = {},
  ): Figure => ({
    what: `${count.toLocaleString('en')} at once: ${what}`,
    unit,
    ...more,
    values: Object.fromEntries(
      [...runs].map(([name, ofSubject]) => {
        const run = ofSubject.get(count);
        return [name, run ? of(run) : []];
      }),
    ),
  });
  return [
    {
      title: 'Many answers in one process',
      text: `So many people ask in direct messages, ten in a second, and each gets 200 tokens within a minute. The models and Slack have no limits here. Parley runs in one worker of ${MEMORY_MB} MB that accepts a thousand tasks; a deployed one accepts 15. The tables and queues of Parley, and all simulators, share one other process, whose load delays Parley more than the others.`,
      figures: COUNTS.flatMap((count) => [
        figure(count, 'answered', 'answers', ({ answers }) => [answers], { isGain: true }),
        figure(count, 'last token to final text', 'ms', ({ lagsMs }) => lagsMs),
        figure(count, 'last token to final text, slowest', 'ms', ({ lagsMs }) => [Math.max(0, ...lagsMs)]),
        figure(count, 'processor time of each', 'ms', ({ processorMsEach }) => [processorMsEach], {
          digits: 1,
        }),
        figure(count, 'most memory', 'MB', ({ peakMb: mb }) => [mb]),
      ]),
    },
  ];
}

/** The deployment with one worker that accepts as many tasks as there are people, and asks the models without a limit. */
async function forMany(folder: string): Promise<TemplateBuild> {
  const built = await buildTemplate();
  return {
    ...built,
    template: withOneWorker(built.template),
    assetDir(id) {
      if (!id.startsWith('WorkerFunction')) return built.assetDir(id);
      cpSync(built.assetDir(id), folder, { recursive: true });
      const bundle = join(folder, 'index.js');
      const replacements: [RegExp, string][] = [
        [/maxTasks:15\b/u, `maxTasks:${PEOPLE.length}`],
        [/\{perMinute:120,burst:30\}/u, JSON.stringify(UNLIMITED.chat)],
        // To the models.
        [/connections:64\b/u, `connections:${PEOPLE.length}`],
      ];
      const code = replacements.reduce(
        (text, [pattern, replacement]) => replaceOnce(text, pattern, replacement),
        readFileSync(bundle, 'utf8'),
      );
      writeFileSync(bundle, code);
      return folder;
    },
  };
}

function replaceOnce(text: string, pattern: RegExp, replacement: string): string {
  const parts = text.split(pattern);
  if (parts.length !== 2)
    throw new Error(`The bundle of the worker contains ${pattern} ${parts.length - 1} times`);
  return parts.join(replacement);
}

const template = v.looseObject({
  Resources: v.record(v.string(), v.looseObject({ Properties: v.optional(v.unknown()) })),
});

/** At most one invocation of the worker at a time, in a valid template. */
function withOneWorker(whole: unknown): unknown {
  const parsed = v.parse(template, whole);
  const resources = Object.entries(parsed.Resources).map(([id, resource]): [string, object] => {
    if (!id.startsWith('WorkerFunctionSqsEventSource')) return [id, resource];
    const properties = v.parse(v.looseObject({}), resource.Properties);
    return [id, { ...resource, Properties: { ...properties, ScalingConfig: { MaximumConcurrency: 1 } } }];
  });
  return { ...parsed, Resources: Object.fromEntries(resources) };
}

async function runAtOnce(subject: Subject, count: number): Promise<Run> {
  const before = processorMs(subject.pid());
  const firstEntry = subject.upstream.journal.length;
  const questionsAsked = [];
  for (let n = 0; n < count; n += 1) {
    questionsAsked.push(ask(subject, n, 'dm', SCRIPT, ` Question ${n} of ${count}.`));
    await after(ASK_INTERVAL_MS);
  }
  const questions = await Promise.all(questionsAsked);
  const lagsMs = await untilWhole(subject, questions, firstEntry);
  await after(SETTLED_MS);
  return {
    answers: lagsMs.length,
    lagsMs,
    processorMsEach: (processorMs(subject.pid()) - before) / count,
    peakMb: peakMb(subject.pid()),
  };
}

/** Resolves with the lag of each answer that is whole in time. Looks every few ms, because a thousand listeners would take too long. */
async function untilWhole(
  subject: Subject,
  questions: readonly Question[],
  firstEntry: number,
): Promise<number[]> {
  const { journal } = subject.upstream;
  const [lastTokenAt, wholeAt] = [new Map<number, number>(), new Map<number, number>()];
  const open = new Map<number, (typeof journal)[number]>();
  let next = firstEntry;
  const end = performance.now() + TIMEOUT_MS;
  while (wholeAt.size < questions.length && performance.now() < end) {
    const now = performance.now();
    for (; next < journal.length; next += 1) {
      const entry = journal[next];
      const [, n] = /Question (\d+) of/u.exec(JSON.stringify(entry?.body)) ?? [];
      if (entry && n !== undefined && !lastTokenAt.has(Number(n))) open.set(Number(n), entry);
    }
    for (const [n, { ended }] of open) {
      if (ended === 'open') continue;
      lastTokenAt.set(n, now);
      open.delete(n);
    }
    for (const [n, question] of questions.entries()) {
      if (lastTokenAt.has(n) && !wholeAt.has(n) && isWhole(subject, question)) wholeAt.set(n, now);
    }
    await after(POLL_MS);
  }
  return [...wholeAt].map(([n, at]) => Math.max(0, at - (lastTokenAt.get(n) ?? at)));
}
