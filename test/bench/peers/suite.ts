import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { type Measured, measureAnswer, ownFirstMs, type Place, type Script } from './answers.ts';
import { askAtOnce, killDuringAnswer } from './crowds.ts';
import { concurrentSection } from './concurrent.ts';
import { installPeers, versionOf } from './install.ts';
import { discordSection } from './discord-answers.ts';
import { ingestSection } from './ingest.ts';
import { costSection, readySection, threadSection, voiceSection } from './own-figures.ts';
import { startPostgres } from './postgres.ts';
import type { Figure, Section } from './figures.ts';
import { ratio, writeReport } from './report.ts';
import { readResults, storeResults, type StoredFigure } from './stored-results.ts';
import { type FrontStart, measureStarts } from './starts.ts';
import { peakMb, startParley, startPeer, type Subject } from './subjects.ts';
import type { Row } from '../report-table.ts';

/** The repetitions of each measurement: `PEERS_RUNS=3` for a quick look. */
const RUNS = Number(process.env['PEERS_RUNS'] ?? 10);
const WARM_UP = 2;
/** The limit of the models is two a second for each bot. */
const GAP_MS = 550;
/** The burst of the limit is full again after 15 s. */
const REFILL_MS = 15_000;
const CROWD_TIMEOUT_MS = 45_000;
const KILL_TIMEOUT_MS = 45_000;

const PACED: Script = { tokens: 100, paceMs: 20 };
const SCRIPTS = {
  paced: { place: 'dm', ...PACED },
  channel: { place: 'channel', ...PACED },
  instant: { place: 'dm', tokens: 100, paceMs: 0 },
  long: { place: 'dm', tokens: 1_000, paceMs: 0 },
} as const satisfies Record<string, Script & { readonly place: Place }>;
type ScriptName = keyof typeof SCRIPTS;
const SCRIPT_NAMES = ['paced', 'channel', 'instant', 'long'] as const satisfies readonly ScriptName[];

type Answers = Readonly<Record<ScriptName, readonly Measured[]>>;

/** The parts of the suite, in the order of the report. */
const PARTS: Readonly<Record<string, (folder: string) => Promise<Section[]>>> = {
  starts: async (folder) => [startSection(await measureStarts(folder, 2 * RUNS))],
  answers: (folder) => withSubjects(folder, true, measureAnswers),
  discord: (folder) => discordSection(folder, RUNS),
  crowds: (folder) =>
    withSubjects(folder, false, async (subjects) => [
      crowdSection(await crowds(subjects, 10), await crowds(subjects, 40)),
    ]),
  concurrent: concurrentSection,
  kill: (folder) => withSubjects(folder, false, async (subjects) => [await killSection(subjects.slice(1))]),
  ingest: (folder) => withSubjects(folder, false, ingestSection),
  thread: threadSection,
  voice: voiceSection,
  cost: costSection,
  ready: readySection,
};

/**
 * Parley beside bots on the Chat SDK, Bolt and discord.js, and docs/performance.md. `PEERS_ONLY=crowds,kill` measures only these parts,
 * and keeps the results of the others (`results.json`); `PEERS_ONLY=none` only writes the report.
 */
export async function peers(): Promise<Row[]> {
  installPeers();
  const names = (process.env['PEERS_ONLY'] ?? Object.keys(PARTS).join(',')).split(',');
  const folder = mkdtempSync(join(tmpdir(), 'parley-peers-'));
  try {
    for (const name of names.filter((one) => one !== 'none')) {
      const part = PARTS[name];
      if (!part) throw new Error(`There is no part ${name}; there are ${Object.keys(PARTS).join(', ')}`);
      const begin = performance.now();
      storeResults(name, await part(folder), new Date().toISOString().slice(0, 10));
      console.error(`peers, ${name}: ${Math.round((performance.now() - begin) / 1_000)} s`);
    }
    const results = readResults();
    const sections = Object.keys(PARTS).flatMap((name) => results[name] ?? []);
    writeReport(introduction(), sections);
    return sections.flatMap(({ title, figures }) => figures.flatMap((figure) => rowOf(title, figure)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rowOf = (title: string, figure: StoredFigure): Row[] => {
  const value = ratio(figure);
  return value === undefined
    ? []
    : [{ what: `${title}: ${figure.what}, by the best peer`, value, unit: 'x' }];
};

/** Runs a measurement with Parley, the bots on the Chat SDK and Bolt, and if asked for the one with a durable state. */
async function withSubjects(
  folder: string,
  isDurable: boolean,
  measure: (subjects: readonly Subject[]) => Promise<Section[]>,
): Promise<Section[]> {
  const subjects = [
    await startParley(),
    await startPeer('Chat SDK', 'chat-sdk', folder),
    await startPeer('Bolt', 'bolt', folder),
  ];
  const database = isDurable ? await startPostgres(folder) : undefined;
  if (database)
    subjects.push(
      await startPeer('Chat SDK, Postgres', 'chat-sdk-postgres', folder, { POSTGRES_URL: database.url }),
    );
  try {
    return await measure(subjects);
  } finally {
    for (const subject of subjects) await subject.close();
    await database?.close();
  }
}

async function measureAnswers(subjects: readonly Subject[]): Promise<Section[]> {
  const answers = await measureInTurn(subjects);
  return answerSections(
    answers,
    byName(subjects, (subject) => [peakMb(subject.pid())]),
  );
}

/** Each round measures each script with each bot, so that all of them see the same load of the machine. */
async function measureInTurn(subjects: readonly Subject[]): Promise<ReadonlyMap<string, Answers>> {
  const [first] = subjects;
  if (!first) throw new Error('There is no subject');
  const pacedMs = await ownFirstMs(first, PACED);
  const ownMs: Readonly<Record<ScriptName, number>> = {
    paced: pacedMs,
    channel: pacedMs,
    instant: 0,
    long: 0,
  };
  const measured = new Map(subjects.map(({ name }) => [name, noAnswers()]));
  for (let round = -WARM_UP; round < RUNS; round += 1) {
    for (const script of SCRIPT_NAMES) {
      for (const subject of subjects) {
        const one = await measureAnswer(subject, round + WARM_UP, SCRIPTS[script].place, SCRIPTS[script]);
        if (round >= 0)
          measured.get(subject.name)?.[script].push({ ...one, firstMs: one.firstMs - ownMs[script] });
      }
    }
    await after(GAP_MS);
  }
  return measured;
}

const noAnswers = (): Record<ScriptName, Measured[]> => ({ paced: [], channel: [], instant: [], long: [] });

type Crowds = Readonly<Record<string, Awaited<ReturnType<typeof askAtOnce>>>>;

async function crowds(subjects: readonly Subject[], count: number): Promise<Crowds> {
  const all: Record<string, Awaited<ReturnType<typeof askAtOnce>>> = {};
  for (const subject of subjects) {
    await after(REFILL_MS);
    all[subject.name] = await askAtOnce(subject, count, PACED, CROWD_TIMEOUT_MS);
  }
  return all;
}

const byName = <T>(subjects: readonly Subject[], of: (subject: Subject) => T): Record<string, T> =>
  Object.fromEntries(subjects.map((subject) => [subject.name, of(subject)]));

function startSection(starts: readonly FrontStart[]): Section {
  const figures = (['Slack', 'Discord'] as const).flatMap((platform): Figure[] => {
    const fronts = starts.filter((front) => front.platform === platform);
    const values = (of: (front: FrontStart) => readonly number[]) =>
      Object.fromEntries(fronts.map((front) => [front.name, of(front)]));
    return [
      {
        what: `${platform}: start to the first acknowledged request, over bare Node`,
        unit: 'ms',
        values: values(({ startMs }) => startMs),
      },
      { what: `${platform}: bundle`, unit: 'KB', values: values(({ kilobytes }) => [kilobytes]) },
    ];
  });
  return {
    title: 'Start of the fronts',
    text: 'A new process loads one minified file, gets one signed request as a function on Lambda does, and ends after its 200. Parley reads its signing secret, records the question and queues it before it acknowledges; the others acknowledge first. AWS responds at once.',
    figures,
    notes: ['discord.js has no front for requests: the figure is the time until its client is built.'],
  };
}

function answerSections(
  answers: ReadonlyMap<string, Answers>,
  peaks: Readonly<Record<string, readonly number[]>>,
): Section[] {
  const figure = (
    what: string,
    unit: string,
    script: ScriptName,
    of: keyof Measured,
    digits = 0,
  ): Figure => ({
    what,
    unit,
    digits,
    values: Object.fromEntries([...answers].map(([name, all]) => [name, all[script].map((one) => one[of])])),
  });
  return [
    {
      title: 'One answer',
      text: 'One person at a time asks, in a direct message unless a row says otherwise. In a channel, Parley waits for the first sentence or 800 ms. The first word is counted from the posted question, less the model’s own time; the final text from the moment in which the model has sent its last token. The Chat SDK with Postgres keeps its state in a database on disk (PGlite, in another process).',
      figures: [
        figure('First word, 20 ms a token, in a direct message', 'ms', 'paced', 'firstMs'),
        figure('First word, 20 ms a token, in a channel', 'ms', 'channel', 'firstMs'),
        figure('First word, all tokens at once', 'ms', 'instant', 'firstMs'),
        figure('Last token to final text, 100 tokens, 20 ms a token', 'ms', 'paced', 'lastMs'),
        figure('Last token to final text, 1,000 tokens at once', 'ms', 'long', 'lastMs'),
        figure('Slack calls, 100 tokens, 20 ms a token', 'calls', 'paced', 'calls'),
        figure('Slack calls, 1,000 tokens at once', 'calls', 'long', 'calls'),
      ],
      notes: ['Calls to show the status and to look people up are included.'],
    },
    {
      title: 'The process that answers',
      text: 'For Parley, the deployed worker alone: the tables, queues and fronts of the local system are in another process. For the others, the whole bot.',
      figures: [
        figure('Processor time, 100 tokens, 20 ms a token', 'ms', 'paced', 'processorMs', 1),
        figure('Processor time, 100 tokens at once', 'ms', 'instant', 'processorMs', 1),
        figure('Processor time, 1,000 tokens at once', 'ms', 'long', 'processorMs', 1),
        { what: 'Most memory', unit: 'MB', values: peaks },
      ],
    },
  ];
}

function crowdSection(ten: Crowds, forty: Crowds): Section {
  const figuresOf = (crowd: Crowds, count: number): Figure[] => [
    {
      what: `${count} questions at once: answered`,
      unit: 'answers',
      isGain: true,
      values: Object.fromEntries(
        Object.entries(crowd).map(([name, { answeredMs }]) => [name, [answeredMs.length]]),
      ),
    },
    {
      what: `${count} questions at once: the last answer`,
      unit: 's',
      digits: 1,
      values: Object.fromEntries(
        Object.entries(crowd).map(([name, { answeredMs }]) => [name, [Math.max(0, ...answeredMs) / 1_000]]),
      ),
    },
  ];
  return {
    title: 'Many at once, and the limit of the models',
    text: 'Different people ask at the same time for 100 tokens at 20 ms a token. The models accept 120 requests a minute and 30 at once: 40 questions exceed that, and 10 of them have to wait up to 5 s.',
    figures: [...figuresOf(forty, 40), ...figuresOf(ten, 10)],
  };
}

async function killSection(bots: readonly Subject[]): Promise<Section> {
  const parley = await startParley(false);
  try {
    const values: Record<string, number[]> = {};
    await Promise.all(
      [parley, ...bots].map(async (subject) => {
        const ms = await killDuringAnswer(subject, 7, KILL_TIMEOUT_MS);
        values[subject.name] = ms === undefined ? [] : [ms / 1_000];
      }),
    );
    const order = ['Parley', ...bots.map(({ name }) => name)];
    return {
      title: 'Killed in the middle of an answer',
      notes: [
        'The figure of the Chat SDK probably shows no recovery: it seems to show the first words of this answer, which has no line break, when the model is almost at its end, so that little is left to lose.',
      ],
      text: `The process that answers is killed half a second after its first word, and started again. Waited for the whole answer: ${KILL_TIMEOUT_MS / 1_000} s.`,
      figures: [
        {
          what: 'Until the answer is whole',
          unit: 's',
          digits: 1,
          values: Object.fromEntries(order.map((name) => [name, values[name] ?? []])),
        },
      ],
    };
  } finally {
    await parley.close();
  }
}

const introduction = (): string[] => [
  '<!-- Made by `npm run bench -- peers`. -->',
  '',
  `Parley beside bots that do less, written as the documentation of their frameworks has it: ${['chat', '@chat-adapter/slack', '@chat-adapter/discord', '@slack/bolt', 'discord.js'].map(versionOf).join(', ')}. Chat SDK and Bolt keep their history in memory, have no limits, and lose what they were doing when they end; Parley keeps everything in tables and queues.`,
  '',
  `All run on the same simulated Slack and models, in turn. Cells are medians, with quartiles in parentheses if there are enough runs. Smaller is better. Each section says when it was measured. The absolute figures depend on the machine and its load; compare within a row.`,
];
