import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageId, type PromptMessage, userId, workspaceId } from '../../shared/domain/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { dispatchTask, type WorkerContext } from '../../shared/worker/index.ts';
import { DEFAULTS, type Chat, type ChatOptions, type RequestPermits } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import type { PermitRequest } from '../../shared/storage/index.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { runWaitingRequests, type Question } from '../limits/waiting-requests.ts';
import type { TestTime } from '../upstream/time.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';
import { endEvent, FakeReply, fakePlatform } from './completion-harness.ts';
import { summaryHarness as summaryWorld } from '../summary/summary-harness.ts';
import { THREAD } from './thread-harness.ts';
import { countLibraryRequests, countMediaJobs } from '../video/media-spending.ts';
import { askBy, type Way } from './ways-to-ask.ts';
import { INTERACTION, voiceHarness as voiceRig, task } from '../voice/voice-harness.ts';

// One greedy person uses every row of the table in docs/limits.md: the maximum of each row, while others are served.

const GREEDY = userId('U1');
/** Requests for a permit. */
type Asked = Pick<PermitRequest, 'person' | 'priority'>;
type Spent = { readonly requests: number; readonly permits: readonly Asked[] };

/** Permits that are always granted, and record their requesters. */
function noted(): { readonly permits: RequestPermits; readonly questions: Asked[] } {
  const questions: Asked[] = [];
  const permits: RequestPermits = {
    ...UNLIMITED_PERMITS,
    take: (ask) => {
      questions.push(ask);
      return UNLIMITED_PERMITS.take(ask);
    },
    takeFree: (ask) => {
      questions.push(ask);
      return UNLIMITED_PERMITS.takeFree(ask);
    },
  };
  return { permits, questions };
}

/** A model that calls another tool each time, never finishes, and fits no schema. */
function greedyModel(finish = 'length') {
  let requests = 0;
  const count = async ({ beforeAttempt }: Pick<ChatOptions, 'beforeAttempt'>) => {
    requests += 1;
    await beforeAttempt();
  };
  const chat: Chat = {
    ...streamsOnly,
    model: 'model-a',
    modelFacts: () => Promise.resolve({ tools: true, modelsWithImages: [], context: 131_072 }),
    async *stream(_: readonly PromptMessage[], options) {
      await count(options);
      const toolCalls = Array.from({ length: 20 }, (_one, n) => ({
        id: `t${requests}-${n}`,
        name: options.tools?.[0]?.name ?? 'none',
        arguments: '{}',
      }));
      const wants = options.tools && options.toolChoice !== 'none' ? { toolCalls, finish: 'tool_calls' } : {};
      yield { type: 'text', text: 'Not yet. ' };
      yield endEvent('Not yet. ', { finish, ...wants });
    },
    suggestQuestions: async (_, options) => {
      await count(options);
      await count(options);
      return ['More?'];
    },
  };
  return { chat, requests: () => requests };
}

const FILE = { id: 'F1', name: 'notes.txt', mimetype: 'text/plain', bytes: 60_000 };
const redo = (key: string, how: object) => {
  const turn = { thread: THREAD, message: '1.1', asker: GREEDY, askerWorkspace: 'T1' };
  return JSON.stringify({ v: 1, kind: 'redo', ...turn, key, by: GREEDY, round: 0, how });
};

/** A question with a long file, which enables tools; then the buttons of its answer. */
async function inThread(
  then: (context: WorkerContext) => Promise<unknown> = async () => undefined,
): Promise<Spent> {
  const { chat, requests } = greedyModel();
  const { permits, questions } = noted();
  const file = new TextEncoder().encode('word '.repeat(12_000));
  const at = commandHarness({
    chat,
    permits,
    transcription: { queue: new FakeQueue(), recordings: NO_RECORDINGS },
    platform: {
      ...fakePlatform({ [FILE.id]: file }),
      reply: () => new FakeReply(),
      // This enables a tool, also when the file has been read.
      findRecordings: () => async () => [],
    },
  });
  const by = { author: GREEDY, authorWorkspace: workspaceId('T1') };
  const message = { thread: THREAD, id: messageId('1.1'), ...by, text: 'Why?', attachments: [FILE] };
  await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
  for (const { body } of at.queue.sent.splice(0)) await dispatchTask(body, at.context, delivery(at.time));
  if (then.length === 0) return { requests: requests(), permits: questions };
  const [before, calls] = [requests(), questions.length];
  await then(at.context);
  return { requests: requests() - before, permits: questions.slice(calls) };
}

const delivery = ({ now }: Pick<TestTime, 'now'>) => ({
  deadline: now() + 60_000,
  isRedelivery: false,
  isLast: false,
});
const done = (key: string, how: object) =>
  inThread((context) => dispatchTask(redo(key, how), context, delivery(context.time)));

/** The cost of one way, after the earlier ones. */
async function called(...texts: readonly string[]): Promise<Spent> {
  const { chat, requests } = greedyModel('stop');
  const { permits, questions } = noted();
  const at = commandHarness({ chat, permits });
  for (const [nth, text] of texts.entries())
    await at.call(fakeInteraction(typedCommand(text), { id: `call-${nth}` }));
  return { requests: requests(), permits: questions };
}

async function askedBy(way: Way): Promise<Spent> {
  const { chat, requests } = greedyModel('stop');
  await askBy(way, 1, { ...DEFAULTS, maxTokens: 131_072 }, chat, unlimitedBudget);
  return { requests: requests(), permits: [] };
}

async function summed(name: 'summarise' | 'catchup' = 'summarise'): Promise<Spent> {
  const { permits, questions: requests } = noted();
  const messages = Array.from({ length: 3_000 }, (_, n) => ({
    id: messageId(`${n + 1}`),
    author: 'ada',
    at: n + 1,
    text: 'word '.repeat(400),
  }));
  const at = summaryWorld({ history: { messages }, tokens: 16_000, context: { permits } });
  const thread = { ...THREAD, root: messageId('1') };
  const id = messageId(name === 'catchup' ? '0.0' : '1');
  const message = { thread, id, author: GREEDY, text: '', attachments: [] };
  await at.call({ kind: 'on-message', name, message });
  return { requests: at.questions.length, permits: requests };
}

/** A recording of four hours, transcribed in as many deliveries as it takes, and repeated once. */
async function runTranscription(...wishes: readonly Parameters<typeof task>[0][]): Promise<Spent> {
  const { permits, questions: requests } = noted();
  const at = voiceRig({ F1: { chunks: 720 } });
  const context = { ...at.context, speechPermits: permits };
  let before = 0;
  for (const [nth, request] of wishes.entries()) {
    if (nth === wishes.length - 2 || wishes.length === 1) before = at.transcriptions.length;
    let next: ReturnType<typeof task> | undefined = task(request);
    for (let round = 0; next && round < 100; round += 1) {
      await runTranscriptionTask(next, context, { ...at.delivery, deadline: at.time.now() + 900_000 });
      next = at.again.splice(0).find((one) => one !== undefined);
    }
  }
  return { requests: at.transcriptions.length - before, permits: requests };
}

const SCHEMA = '{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}';
/** The maximum of each row with a greedy model, which must equal the documented bound. */
const CASES: Readonly<Record<string, () => Promise<Spent>>> = {
  'A question, `/ask`': () => inThread(),
  // The tools of those four rounds are counted in the row above: reading a file sends no request.
  Tools: async () => ({ requests: 0, permits: [] }),
  'An edit of a question': () =>
    done('edit-1', { kind: 'edited', of: '1.1', question: 'Why not?', attachments: [FILE] }),
  'Regenerate, another model': () => done('press-1', { kind: 'regenerate' }),
  'Three versions': () => done('press-1', { kind: 'version' }),
  Continue: () => done('press-1', { kind: 'continue' }),
  '`ask private:yes`, Ask about this': () => called('ask private:yes Why?'),
  'An answer that fits a schema': () => called(`schema save bug ${SCHEMA}`, 'ask schema:bug What is wrong?'),
  'Summary of a thread or a channel': () => summed(),
  'Catch up from here': () => summed('catchup'),
  'Summary of a recording': () => askedBy('recording'),
  'Suggested questions': () => askedBy('next'),
  'Transcript of a recording': () => runTranscription({ kind: 'show' }, { kind: 'show' }),
  'Translation of a recording, spoken': () =>
    runTranscription(
      { kind: 'show' },
      { kind: 'translate', to: 'fr', speak: true, interaction: INTERACTION },
      { kind: 'translate', to: 'fr', speak: true, interaction: INTERACTION },
    ),
  'A video or picture': async () => ({ requests: await countMediaJobs(), permits: [] }),
  'Library of the vision service': async () => ({ requests: await countLibraryRequests(), permits: [] }),
  '`export`, `usage`, settings and memory': () =>
    called(
      'export',
      'usage',
      'settings',
      'help',
      'persona',
      'voice',
      'model',
      'feedback',
      'forget me',
      'memory',
    ),
  'Knowledge, servers of tools, integrations': () =>
    called('knowledge', 'knowledge remove all', 'tools', 'tools log', 'integrations', 'schedule'),
};

/** The rows of the table: the name, and the maximum number of requests. */
const rows = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8')
  .split('## Every way to spend')[1]
  ?.split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Way|-)/u.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', maxRequests = '']) => [name, Number(maxRequests)] as const);

test('every row of the table is tested here, and nothing else', () => {
  expect(rows?.map(([name]) => name)).toEqual(Object.keys(CASES));
});

describe('the maximum for one greedy person of', () => {
  test.each(rows ?? [])('%s: %i requests, each queued under their name', async (name, limit) => {
    const spent = await CASES[name]?.();
    expect(spent?.requests).toBe(limit);
    expect(spent?.permits.filter(({ person }) => person !== undefined && !person.includes(GREEDY))).toEqual(
      [],
    );
  });
});

test('while one greedy person uses every way at once, the others are served in turn', async () => {
  const all = (rows ?? []).filter(([name]) => !/recording|video|library/iu.test(name));
  const count = all.reduce((sum, [, limit]) => sum + limit, 0);
  expect(count).toBeGreaterThan(30);
  const greedy = Array.from({ length: count * 2 }, (): Question => ({ person: 'greedy', atMs: 0 }));
  const others = Array.from({ length: 10 }, (_, n): Question => ({ person: `U${n}`, atMs: 2_500 + n * 300 }));
  const { results } = await runWaitingRequests([...greedy, ...others]);
  const latest = results.filter(({ person }) => person !== 'greedy').map(({ sentMs = Infinity }) => sentMs);
  expect(latest).toHaveLength(10);
  expect(Math.max(...latest)).toBeLessThan(6_000);
});
