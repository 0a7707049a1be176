import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SeenCall } from '../simulators/slack/api.ts';
import type { Identity } from '../simulators/slack/identity.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  startJourneyHarness,
} from './harness.ts';

type Workspace = {
  readonly refusedApis: Identity['refusedApis'];
  /** The first and the last sign of work. */
  readonly first: readonly [method: string, status: string];
  readonly last: readonly [method: string, status: string];
};

const SESSIONS = {
  first: ['agents.sessions.setStatus', 'processing'],
  last: ['agents.sessions.setStatus', 'active'],
} as const;
const WORDS = {
  first: ['assistant.threads.setStatus', 'is thinking…'],
  last: ['assistant.threads.setStatus', ''],
} as const;

/** Which of Slack's two status APIs a workspace has. */
const WORKSPACES: Readonly<Record<string, Workspace>> = {
  'both APIs': { refusedApis: {}, ...SESSIONS },
  'sessions alone, as after February 2027': {
    refusedApis: { 'assistant.threads': 'method_deprecated' },
    ...SESSIONS,
  },
  'the old API alone': { refusedApis: { 'agents.sessions': 'feature_disabled' }, ...WORDS },
  'the old API alone, since the app is no agent': {
    refusedApis: { 'agents.sessions': 'not_authorized' },
    ...WORDS,
  },
};

type Running = Workspace & {
  readonly name: string;
  readonly journey: JourneyHarness;
  /** Whether its status has words. */
  readonly isWords: boolean;
};

const folders = Object.keys(WORKSPACES).map(() => dataFolder());
let workspaces: readonly Running[];

beforeAll(async () => {
  workspaces = await Promise.all(
    Object.entries(WORKSPACES).map(async ([name, workspace], n) => {
      const { refusedApis = {}, first } = workspace;
      const journey = await startJourneyHarness(folders[n]?.path ?? '', {
        slack: { identity: { refusedApis } },
      });
      return { ...workspace, name, journey, isWords: first[0].startsWith('assistant.') };
    }),
  );
});
afterAll(async () => {
  await Promise.all(workspaces.map(({ journey }) => journey.system.close()));
  for (const folder of folders) folder.remove();
});

/** Runs this in all workspaces at the same time, since it mostly waits. An error names its workspace. */
async function inEach(run: (workspace: Running) => Promise<void>): Promise<void> {
  const runs = workspaces.map(async (workspace) => {
    try {
      await run(workspace);
    } catch (error) {
      throw new Error(`In a workspace with ${workspace.name}: ${String(error)}`, { cause: error });
    }
  });
  for (const one of await Promise.allSettled(runs)) if (one.status === 'rejected') throw one.reason;
}

/** The accepted requests for a thread. */
const shownIn = ({ journey }: Running, thread: string) =>
  journey.slack.calls
    .filter(({ method, args, outcome }: SeenCall) => {
      return method.endsWith('.setStatus') && args['thread_ts'] === thread && outcome === 'ok';
    })
    .map(({ method, args }) => [method, args['status']]);

const sessionOf = ({ journey }: Running, thread: string) =>
  [...journey.slack.core.state.sessions.values()].find((one) => one.thread === thread)?.status;

test('each workspace shows progress until the answer is complete', () =>
  inEach(async (workspace) => {
    const { journey, first, last, isWords } = workspace;
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley [[sim:late=900]] [[sim:error=400]] What is 1 + 1?');
    await answersIn(slack, thread);
    expect(shownIn(workspace, thread)[0]).toEqual(first);
    await waitUntil(() => JSON.stringify(shownIn(workspace, thread).at(-1)) === JSON.stringify(last));
    const streamed = await slack.say('ada', '@parley [[sim:late=900]] What is 2 + 3?');
    await answersIn(slack, streamed);
    await waitUntil(() => sessionOf(workspace, streamed) === (isWords ? undefined : 'active'));
    expect([...slack.core.state.statuses.values()].map(({ words }) => words)).toEqual([]);
  }));

test('each workspace shows what a question waits for', () =>
  inEach(async ({ journey: { slack }, isWords }) => {
    const from = slack.calls.length;
    const thread = await slack.say('ada', '@parley What is 7 + 8? [[sim:capacity retry=2 times=3]]');
    await slack.core.until(() => botMessages(slack, thread).find(({ text }) => text.includes('15')));
    const statuses = slack.calls
      .slice(from)
      .map(({ method, args }) => `${method} ${String(args['status'] ?? args['markdown_text'])}`);
    const way = isWords ? 'assistant.threads.setStatus' : 'chat.postEphemeral ⏳ Parley';
    expect(statuses).toContainEqual(expect.stringContaining(`${way} is waiting: the model is at capacity`));
    const words = statuses.filter((one) => one.startsWith('assistant.threads.setStatus is'));
    expect(words.length > 0).toBe(isWords);
  }));

test("a workspace with sessions shows Slack's own Stop from before the first word to the end of the answer, others do not", () =>
  inEach(async (workspace) => {
    const { journey, isWords } = workspace;
    const { slack } = journey;
    const thread = await slack.say('ada', '@parley What is 2 + 2? [[sim:late=3000]]');
    await waitUntil(() => shownIn(workspace, thread).length > 0);
    const pressed = await Promise.resolve(slack.stop('ada', thread)).then(
      () => 'stopped',
      (error: unknown) => String(error),
    );
    expect(pressed).toMatch(isWords ? /Nothing is under way/u : /^stopped$/u);
    const answer = isWords ? /4/u : /Stopped before the first word/u;
    await slack.core.until(() => botMessages(slack, thread).find(({ text }) => answer.test(text)));
    await waitUntil(() => sessionOf(workspace, thread) === (isWords ? undefined : 'active'));
  }));
