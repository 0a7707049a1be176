import { expect, test } from '@jest/globals';
import type { TranscriptionTask } from '../../shared/domain/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../shared/voice/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { INTERACTION, voiceHarness, task, textOf } from './voice-harness.ts';

type World = ReturnType<typeof voiceHarness>;

/** The same context, but the process dies before the effect number `death` and does nothing afterwards. */
function mortal({ context, dynamo, time }: World, death = Infinity) {
  let count = 0;
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          count += 1;
          if (count >= death) throw new Error('killed');
          const result: unknown = await Reflect.apply(method, target, args);
          return result;
        };
      },
    });
  const own: VoiceContext = {
    ...context,
    recordings: new Recordings({ dynamo: wrap(dynamo), table: 'conversations', days: 30, now: time.now }),
    messenger: wrap(context.messenger),
    transcriptionClient: wrap(context.transcriptionClient),
    platform: wrap(context.platform),
    queue: wrap(context.queue),
    recordingsQueue: wrap(context.recordingsQueue),
  };
  return { context: own, died: () => count >= death };
}

/** What people see and what is stored, regardless of the order. */
const effectsOf = ({ cards, uploads, tasks, responses, dynamo }: World) => ({
  cards: new Set(cards.map(({ key, at }) => `${key} ${at}`)),
  last: textOf(cards.at(-1)?.card),
  uploads: new Map(uploads.map(({ key, content }) => [key, content])),
  tasks: new Set(tasks.map((one) => JSON.stringify(one).replace(/"receivedAt":\d+/u, ''))),
  response: textOf(responses.at(-1)),
  kept: new Set(dynamo.items('conversations').map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)),
});

/** Runs a task and its follow-up tasks like the queue: a killed task is delivered again. */
async function served(harness: World, first: TranscriptionTask, death?: number): Promise<boolean> {
  const one = mortal(harness, death);
  let next: TranscriptionTask | undefined = first;
  for (let rounds = 0; next && rounds < 20; rounds += 1) {
    const { context } = one.died() ? mortal(harness) : one;
    const before = one.died();
    const done = await runTranscriptionTask(next, context, harness.delivery).then(
      ({ kind }) => kind === 'done',
      () => false,
    );
    // A dead process has not deleted its message from the queue, whatever it returned.
    if (done && one.died() === before) next = harness.again.shift();
  }
  return one.died();
}

const ASK = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const FRENCH = { kind: 'translate' as const, to: 'fr', speak: false, interaction: INTERACTION };
const written = async (harness: World) => void (await served(harness, task({ kind: 'show' })));
const nothing = () => Promise.resolve();

const harness = (chunks: number): World => {
  const rig = voiceHarness({ F1: { chunks } });
  rig.set.layers = { channel: { values: { voice: 'automatic' } } };
  return rig;
};

test.each<[string, TranscriptionTask, number, (harness: World) => Promise<void>]>([
  ['a transcription', task({ kind: 'show', to: 'fr', explainOptOut: true }), 7, nothing],
  ['a question', task(ASK), 4, nothing],
  ['a translation', task(FRENCH), 4, written],
  ['a spoken translation', task({ ...FRENCH, speak: true }), 14, written],
  ['a deleted message', task({ kind: 'forget' }, { recordings: [] }), 7, written],
])(
  '%s: killed before any effect, it has the same result as without a crash',
  async (_, initialTask, chunks, first) => {
    const whole = harness(chunks);
    await first(whole);
    await served(whole, initialTask);
    let deaths = 0;
    for (let at = 1; ; at += 1) {
      const broken = harness(chunks);
      await first(broken);
      broken.transcriptions.splice(0);
      const died = await served(broken, initialTask, at);
      expect({ at, ...effectsOf(broken) }).toEqual({ at, ...effectsOf(whole) });
      const twice = [...Map.groupBy(broken.transcriptions, ({ n }) => n).values()].filter(
        ({ length }) => length > 1,
      );
      const speaks = initialTask.request.kind === 'translate' && initialTask.request.speak;
      expect(twice.length).toBeLessThanOrEqual(speaks ? 12 : 3);
      if (!died) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(1);
  },
);
