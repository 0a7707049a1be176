import type { TranscriptionTask } from '../../shared/domain/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../shared/voice/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { withRepeatableWrites } from '../../shared/storage/dynamodb/write-ids.ts';
import { INTERACTION, voiceHarness, task, textOf } from '../voice/voice-harness.ts';
import { Steps } from './steps.ts';
import type { Story } from './story.ts';
import type { Kind } from './fault-kinds.ts';
import type { FaultPlan } from './harness.ts';

type Rig = ReturnType<typeof voiceHarness>;

const READS = new Set(['get', 'query', 'file', 'language', 'link', 'uploaded']);
const kindOf = (name: string): Kind => (READS.has(name) ? 'read' : 'call');

/** The ports of a process: each request is a step. */
function depsIn(steps: Steps, { context, dynamo, time }: Rig): VoiceContext {
  const store = {
    dynamo: withRepeatableWrites(steps.wrap(dynamo, kindOf)),
    table: 'conversations',
    days: 30,
    now: time.now,
  };
  const { messenger: stage, transcriptionClient, platform, queue, recordingsQueue } = context;
  return {
    ...context,
    recordings: new Recordings(store),
    messenger: steps.wrap(stage, kindOf),
    transcriptionClient: steps.wrap(transcriptionClient, kindOf),
    platform: steps.wrap(platform, kindOf),
    queue: steps.wrap(queue, kindOf),
    recordingsQueue: steps.wrap(recordingsQueue, kindOf),
  };
}

const MAX_ROUNDS = 60;

/** Runs a task and its follow-up tasks, as the queue would: interrupted ones are redelivered. */
async function served(harness: Rig, first: TranscriptionTask, plan: FaultPlan): Promise<Steps> {
  const steps = new Steps(plan, harness.time.now);
  let next: TranscriptionTask | undefined = first;
  for (let rounds = 0; next && rounds < MAX_ROUNDS; rounds += 1) {
    const one: TranscriptionTask = next;
    const delivery = {
      ...harness.delivery,
      deadline: harness.time.now() + 900_000,
      isRedelivery: rounds > 0,
    };
    const serve = () => steps.process(() => runTranscriptionTask(one, depsIn(steps, harness), delivery));
    const verdict = await serve();
    if (verdict?.kind === 'later') harness.time.advance(verdict.afterMs);
    else if (verdict === undefined) harness.time.advance(30_000);
    else {
      if (steps.fault('deliver to transcriber', 'delivery') !== undefined) await serve();
      next = harness.again.shift();
    }
  }
  if (next) steps.trace.push('it does not end');
  return steps;
}

/** The visible and stored result, independent of the time. */
const effectsOf = ({ cards, uploads, tasks, responses, dynamo }: Rig): Record<string, string> => ({
  cards: JSON.stringify([...new Set(cards.map(({ key, at }) => `${key} ${at}`))].toSorted()),
  'the last card': textOf(cards.at(-1)?.card),
  // The division into spoken files depends on where the task was interrupted.
  uploads: heardIn(uploads),
  questions: JSON.stringify(
    [...new Set(tasks.map((one) => JSON.stringify(one).replace(/"receivedAt":\d+/u, '')))].toSorted(),
  ),
  'what who pressed is told': textOf(responses.at(-1)),
  'what is kept': JSON.stringify(
    dynamo
      .items('conversations')
      .map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)
      .toSorted(),
  ),
});

/**
 * The text of all files: each chunk once and in order, or the gap where a file does not continue the previous one.
 */
function heardIn(uploads: Rig['uploads']): string {
  const files = [...new Map(uploads.map(({ key, content }) => [key, content]))].map(([key, content]) => ({
    from: Number(/#(\d+)#\d+$/u.exec(key)?.[1] ?? 0),
    content,
  }));
  let transcriptText = '';
  for (const { from, content } of files.toSorted((one, other) => one.from - other.from)) {
    if (from !== transcriptText.length)
      return `${from > transcriptText.length ? 'a gap before' : 'once more from'} ${from}`;
    transcriptText += content;
  }
  return transcriptText;
}

type Voice = {
  readonly task: TranscriptionTask;
  readonly chunks: number;
  /** Chunks that were transcribed before. */
  readonly first?: TranscriptionTask;
};

const noFaults: FaultPlan = () => undefined;

/**
 * A story of a recording: it ends as if nothing had failed, and no chunk is paid for more often than faults explain.
 */
const voiceStory = (name: string, { task: voiceTask, chunks, first }: Voice): Story => {
  const begin = async (): Promise<Rig> => {
    const harness = voiceHarness({ F1: { chunks } });
    harness.set.layers = { channel: { values: { voice: 'automatic' } } };
    if (first) await served(harness, first, noFaults);
    harness.transcriptions.splice(0);
    return harness;
  };
  let whole: Promise<Record<string, string>> | undefined;
  const expected = async (): Promise<Record<string, string>> => {
    const harness = await begin();
    await served(harness, voiceTask, noFaults);
    return effectsOf(harness);
  };
  return {
    name,
    async play(plan) {
      whole ??= expected();
      const harness = await begin();
      let faults = 0;
      const steps = await served(harness, voiceTask, (...point) => {
        const fault = plan(...point);
        if (fault) faults += 1;
        return fault;
      });
      const [is, should] = [effectsOf(harness), await whole];
      const wrong = Object.keys(should)
        .filter((what) => is[what] !== should[what])
        .map((what) => `${what}: ${is[what]} instead of ${should[what]}`);
      const transcriptions = harness.transcriptions.map(({ n, to }) => `${n} ${to}`);
      const twice = transcriptions.length - new Set(transcriptions).size;
      if (faults === 0 && twice > 0) wrong.push(`${twice} chunks were transcribed twice`);
      const { points, trace } = steps;
      return { points, wrong, trace: () => trace, gaveUp: trace.includes('it does not end') };
    },
  };
};

const ASK = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const FRENCH = { kind: 'translate' as const, to: 'fr', speak: false, interaction: INTERACTION };
const SHOW = task({ kind: 'show' });

export const VOICE_STORIES: readonly Story[] = [
  voiceStory('voice', { task: task({ kind: 'show', to: 'fr', explainOptOut: true }), chunks: 4 }),
  voiceStory('voice-question', { task: task(ASK), chunks: 3 }),
  voiceStory('voice-translation', { task: task(FRENCH), chunks: 3, first: SHOW }),
  voiceStory('voice-spoken', { task: task({ ...FRENCH, speak: true }), chunks: 14, first: SHOW }),
  voiceStory('voice-deleted', {
    task: task({ kind: 'forget' }, { recordings: [] }),
    chunks: 3,
    first: SHOW,
  }),
];
