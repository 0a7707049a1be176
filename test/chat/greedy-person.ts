import { messageId, type PromptMessage, type Thread, userId } from '../../shared/domain/index.ts';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { chooseThread } from '../../shared/platforms/discord/inbound/conversation-key.ts';
import { type Chat, type ChatOptions, DEFAULTS, type RequestPermits } from '../../shared/ports/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { dispatchTask, type WorkerContext } from '../../shared/worker/index.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { NO_RECORDINGS } from '../fakes/recordings.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { summaryHarness as summaryWorld } from '../summary/summary-harness.ts';
import type { TestTime } from '../upstream/time.ts';
import { countLibraryRequests, countMediaJobs } from '../video/media-spending.ts';
import { INTERACTION, task, voiceHarness as voiceRig } from '../voice/voice-harness.ts';
import { endEvent, FakeReply, fakePlatform } from './completion-harness.ts';
import { THREAD } from './thread-harness.ts';
import { askBy, type Way } from './ways-to-ask.ts';

/** Who uses every row of the table in docs/limits.md. */
export const GREEDY = userId('U1');
/** The permits of each rate limit. */
export type Permits = {
  readonly chat: RequestPermits;
  readonly speech: RequestPermits;
  readonly video: RequestPermits;
};
/** What the person uses their ways with. `time`: the clock of one way; default: one on which nothing takes time. */
export type World = Permits & { readonly time?: (() => TestTime) | undefined };
/** `permitted`: the requests that need a permit, with those of the question that is regenerated, or of the recording that is translated. */
export type Spent = { readonly requests: number; readonly permitted: number };

const spentOf = (requests: number): Spent => ({ requests, permitted: requests });

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
  { chat: permits, time }: World,
  {
    thread = THREAD,
    afterwards,
  }: { thread?: Thread; afterwards?: (context: WorkerContext) => Promise<unknown> } = {},
): Promise<Spent> {
  const { chat, requests } = greedyModel();
  const file = new TextEncoder().encode('word '.repeat(12_000));
  const worker: Partial<WorkerContext> = {
    chat,
    permits,
    transcription: { queue: new FakeQueue(), recordings: NO_RECORDINGS },
    platform: {
      ...fakePlatform({ [FILE.id]: file }),
      reply: () => new FakeReply(),
      // This enables a tool, also when the file has been read.
      findRecordings: () => async () => [],
    },
  };
  const at = commandHarness(worker, time?.());
  const by = { author: GREEDY, authorWorkspace: thread.workspace };
  const message = { thread, id: messageId('1.1'), ...by, text: 'Why?', attachments: [FILE] };
  await acceptQuestion({ ...message, addressed: 'mention' }, intakeWithin(at.context));
  for (const { body } of at.queue.sent.splice(0)) await dispatchTask(body, at.context, delivery(at.time));
  if (!afterwards) return spentOf(requests());
  const before = requests();
  await afterwards(at.context);
  return { requests: requests() - before, permitted: requests() };
}

const delivery = ({ now }: Pick<TestTime, 'now'>) => ({
  deadline: now() + 60_000,
  isRedelivery: false,
  isLast: false,
});
const done = (world: World, key: string, how: object) =>
  inThread(world, { afterwards: (context) => dispatchTask(redo(key, how), context, delivery(context.time)) });

/** The cost of one way, after the earlier ones. */
async function called({ chat: permits, time }: World, ...texts: readonly string[]): Promise<Spent> {
  const { chat, requests } = greedyModel('stop');
  const at = commandHarness({ chat, permits }, time?.());
  for (const [nth, text] of texts.entries())
    await at.call(fakeInteraction(typedCommand(text), { id: `call-${nth}` }));
  return spentOf(requests());
}

async function askedBy(way: Way, { chat: permits, time }: World): Promise<Spent> {
  const { chat, requests } = greedyModel('stop');
  const clock = time && { time: time() };
  await askBy(way, 1, { ...DEFAULTS, maxTokens: 131_072 }, chat, unlimitedBudget, { permits, ...clock });
  return spentOf(requests());
}

async function summed({ chat: permits, time }: World, name: 'summarise' | 'catchup'): Promise<Spent> {
  const messages = Array.from({ length: 3_000 }, (_, n) => ({
    id: messageId(`${n + 1}`),
    author: 'ada',
    at: n + 1,
    text: 'word '.repeat(400),
  }));
  const at = summaryWorld({ history: { messages }, tokens: 16_000, context: { permits }, time: time?.() });
  const thread = { ...THREAD, root: messageId('1') };
  const id = messageId(name === 'catchup' ? '0.0' : '1');
  const message = { thread, id, author: GREEDY, text: '', attachments: [] };
  await at.call({ kind: 'on-message', name, message });
  return spentOf(at.questions.length);
}

/** A recording of four hours, transcribed in as many deliveries as it takes, and repeated once. */
async function runTranscription(
  { speech: speechPermits, time }: World,
  ...wishes: readonly Parameters<typeof task>[0][]
): Promise<Spent> {
  const at = voiceRig({ F1: { chunks: 720 } });
  const context = { ...at.context, speechPermits, ...(time && { time: time() }) };
  let before = 0;
  for (const [nth, request] of wishes.entries()) {
    if (nth === wishes.length - 2 || wishes.length === 1) before = at.transcriptions.length;
    let next: ReturnType<typeof task> | undefined = task(request);
    for (let round = 0; next && round < 100; round += 1) {
      await runTranscriptionTask(next, context, { ...at.delivery, deadline: context.time.now() + 900_000 });
      next = at.again.splice(0).find((one) => one !== undefined);
    }
  }
  return { requests: at.transcriptions.length - before, permitted: at.transcriptions.length };
}

const SCHEMA = '{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}';
/** The private conversation of the person with the bot, in which Discord answers `/ask private:yes` and _Ask about this_. */
const PRIVATE_ON_DISCORD = chooseThread(
  { guild: '100000000000000001', channel: '200000000000000001', root: undefined, bot: true },
  GREEDY,
  true,
);

/** Uses each row with a greedy model, and counts its requests, which must equal the documented maximum. */
export const CASES: Readonly<Record<string, (world: World) => Promise<Spent>>> = {
  'A question, `/ask`': (world) => inThread(world),
  // The tools of those four rounds are counted in the row above: reading a file sends no request.
  Tools: async () => spentOf(0),
  'An edit of a question': (world) =>
    done(world, 'edit-1', { kind: 'edited', of: '1.1', question: 'Why not?', attachments: [FILE] }),
  'Regenerate, another model': (world) => done(world, 'press-1', { kind: 'regenerate' }),
  'Three versions': (world) => done(world, 'press-1', { kind: 'version' }),
  Continue: (world) => done(world, 'press-1', { kind: 'continue' }),
  'Slack: `ask private:yes`, Ask about this': (world) => called(world, 'ask private:yes Why?'),
  'Discord: `ask private:yes`, Ask about this': (world) => inThread(world, { thread: PRIVATE_ON_DISCORD }),
  'An answer that fits a schema': (world) =>
    called(world, `schema save bug ${SCHEMA}`, 'ask schema:bug What is wrong?'),
  'Summary of a thread or a channel': (world) => summed(world, 'summarise'),
  'Catch up from here': (world) => summed(world, 'catchup'),
  'Summary of a recording': (world) => askedBy('recording', world),
  'Suggested questions': (world) => askedBy('next', world),
  'Transcript of a recording': (world) => runTranscription(world, { kind: 'show' }, { kind: 'show' }),
  'Translation of a recording, spoken': (world) =>
    runTranscription(
      world,
      { kind: 'show' },
      { kind: 'translate', to: 'fr', speak: true, interaction: INTERACTION },
      { kind: 'translate', to: 'fr', speak: true, interaction: INTERACTION },
    ),
  'A video or picture': ({ video }) => countMediaJobs(video),
  // The service has windows of its own, without a queue.
  'Library of the vision service': async () => ({ requests: await countLibraryRequests(), permitted: 0 }),
  '`export`, `usage`, settings and memory': (world) =>
    called(
      world,
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
  'Knowledge, MCP servers, integrations': (world) =>
    called(world, 'knowledge', 'knowledge remove all', 'tools', 'tools log', 'integrations', 'schedule'),
};
