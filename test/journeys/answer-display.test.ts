import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decompressTurn } from '../../shared/storage/dynamodb/turn-compression.ts';
import type { Message } from '../simulators/slack/index.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  visibleTexts,
  startJourneyHarness,
  queuesAreEmpty,
  contentWithSteps,
} from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;
/** The thread of a question with an answer after a minute: the wait must be visible after eight seconds. */
let late: string;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, { variables: { OTHER_MODELS: 'model-a' } });
  late = await journey.slack.say('grace', '@parley What is 1 + 1? [[sim:late=60000]]');
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The messages of an answer once its buttons are shown. */
function finished(thread: string, buttons = /parley:regenerate/u): Promise<Message[]> {
  const { slack } = journey;
  return slack.core.until(() => {
    const messages = botMessages(slack, thread);
    return buttons.test(contentWithSteps(messages.at(-1))) ? messages : undefined;
  });
}

async function ask(question: string, options: { files?: { name: string; content: string }[] } = {}) {
  const { slack } = journey;
  const from = slack.calls.length;
  const thread = await slack.say('ada', `@parley ${question}`, options);
  const messages = await finished(thread);
  const calls = slack.calls.slice(from).filter(({ method }) => method.startsWith('chat.'));
  return { thread, messages, calls, methods: calls.map(({ method }) => method) };
}

/** The stored turn that started a thread: the rating of this person, and the outcome. */
async function stored(thread: string, person: string) {
  const { environment: access, dynamodb, resources: inventory } = journey.system.emulator;
  const credentials = {
    accessKeyId: access['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: access['AWS_SECRET_ACCESS_KEY'] ?? '',
  };
  const client = new DynamoDB({ region: access['AWS_REGION'] ?? '', endpoint: dynamodb, credentials });
  const TableName = inventory.tables.find(({ name }) => name.includes('Conversations'))?.name;
  const { Items = [] } = await client.scan({ TableName });
  client.destroy();
  const item = Items.find(({ sk, id }) => sk?.S?.startsWith('TURN#') && id?.S === thread);
  return {
    opinion: item?.[`fb_${person}`],
    outcome: decompressTurn(item?.['body']?.B ?? new Uint8Array()).outcome,
  };
}

const FENCE = '`'.repeat(3);

describe('an answer in Slack is displayed', () => {
  test('as a native stream that contains the whole text', async () => {
    const { methods, calls, thread } = await ask(
      '[[sim:say=See https://example.com/a for what it is, as far as I know it, and be well.]]',
    );
    expect(new Set(methods)).toEqual(new Set(['chat.startStream', 'chat.stopStream']));
    expect(calls.every(({ outcome }) => outcome === 'ok')).toBe(true);
    expect(visibleTexts(journey, thread)).toEqual([expect.stringContaining('and be well.')]);
  });

  test('by posts and edits when Slack rejects the stream', async () => {
    journey.slack.faults.add({ kind: 'refuse', method: 'chat.startStream', error: 'ratelimited' });
    const { methods, calls, thread } = await ask('What is 5 + 6?');
    const post = calls.find(({ method }) => method === 'chat.postMessage');
    expect(post?.args).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false' });
    expect(methods).not.toContain('chat.stopStream');
    expect(visibleTexts(journey, thread)).toEqual([expect.stringContaining('11')]);
  });

  test.each([
    ['chat.appendStream', 'cut'],
    ['chat.stopStream', 'lose-reply'],
    ['chat.startStream', 'lose-reply'],
  ] as const)('once, and whole, although %s fails (%s)', async (method, kind) => {
    journey.slack.faults.add({ kind, method });
    const { thread, messages } = await ask('[[sim:tokens=300]] [[sim:slow=2]]');
    journey.slack.faults.clear();
    expect(messages).toHaveLength(1);
    const [text = ''] = visibleTexts(journey, thread);
    expect(text.length).toBeGreaterThan(800);
  });

  test('with tables as tables, complete code over several messages, and no mentions', async () => {
    const table = '| a | b |\n| - | - |\n| 1 | 2 |';
    const { messages } = await ask(`[[sim:echo]]\n${table}\n\n<!channel> all`);
    expect(contentWithSteps(messages[0])).toContain('"type":"table"');
    expect(contentWithSteps(messages[0])).not.toContain('<!channel>');
    const line = 'internationalisation_of_everything\n';
    const code = `${FENCE}js\n${line.repeat(360)}${FENCE}`;
    const long = await ask(`[[sim:echo]]\n${code}`);
    expect(long.messages.length).toBeGreaterThan(1);
    for (const { text } of long.messages) expect(text.split(FENCE).length % 2).toBe(1);
    const all = long.messages.map(({ text }) => text).join('');
    expect(all.split(line.trim()).length - 1).toBe(360);
  });

  test('with the reasoning time, which is not in later prompts', async () => {
    const { slack } = journey;
    const { thread, messages } = await ask('[[sim:reasoning=50]] What is 3 + 3?');
    await slack.press('ada', messages[0]?.ts ?? '', 'Ask model-a');
    await finished(thread, /Thought for .* tokens?.*parley:regenerate/su);
    await slack.say('ada', 'And now?', { thread });
    await answersIn(slack, thread, 2);
    expect(JSON.stringify(journey.upstream.journal.at(-1)?.body)).not.toContain('Thought for');
  });

  test('with the steps of its tools, up to the maximum number of tool calls', async () => {
    const content = 'All work and no play. '.repeat(2_500);
    const files = [{ name: 'long.txt', content }];
    const before = journey.upstream.journal.length;
    const { messages } = await ask('[[sim:tool=read_file]] What does it say?', { files });
    expect(contentWithSteps(messages[0])).toContain('Reading more of');
    expect(journey.upstream.journal.length - before).toBeLessThanOrEqual(5);
    const failed = await ask('[[sim:tools=12]] What does it say?', { files });
    expect(contentWithSteps(failed.messages[0])).toContain('called the tool with wrong arguments');
  });
});

test('the Stop button works before any text is visible', async () => {
  const { slack, upstream } = journey;
  const status = () => [...slack.core.state.sessions.values()].find(({ thread }) => thread === late)?.status;
  await slack.core.until(() => (status() === 'processing' ? true : undefined));
  await slack.stop('ada', late);
  await slack.core.until(
    () => /Stopped before the first word/u.test(contentWithSteps(botMessages(slack, late)[0])) || undefined,
  );
  await waitUntil(() => upstream.journal.some(({ ended }) => ended === 'gone') && status() === 'active');
  expect(botMessages(slack, late)).toHaveLength(1);
});

/**
 * `PARLEY_LONG=yes` runs the next test, which takes as long as it says; test/faults runs the same in simulated time.
 */
const onDemand = process.env['PARLEY_LONG'] === undefined ? describe.skip : describe;
const SIX_MINUTES = 6 * 60_000;

onDemand('in real time', () => {
  test('an answer of six minutes goes on in a second message before Slack seals the first, and is whole', async () => {
    const { slack } = journey;
    const words = Array.from({ length: SIX_MINUTES / 400 }, (_, n) => `word${n}${n % 20 === 19 ? '.' : ''}`);
    const from = slack.calls.length;
    const thread = await slack.say('ada', `@parley [[sim:say=${words.join(' ')}]] [[sim:slow=400]]`);
    const messages = await finished(thread);
    expect(messages).toHaveLength(2);
    expect(messages.map(({ editedAt }) => editedAt)).toEqual([undefined, undefined]);
    expect(visibleTexts(journey, thread).join(' ').split(/\s+/u)).toEqual(words);
    const rejectedCalls = slack.calls
      .slice(from)
      .filter(({ method, outcome }) => method.startsWith('chat.') && outcome !== 'ok');
    expect(rejectedCalls).toEqual([]);
  });
});

describe('the buttons below an answer', () => {
  test('work after a restart: feedback and Continue', async () => {
    const { thread, messages } = await ask('[[sim:tokens=6000]]');
    const first = messages[0]?.ts ?? '';
    const last = messages.at(-1)?.ts ?? '';
    expect(contentWithSteps(messages.at(-1))).toMatch(/maximum length.*Continue/su);
    await journey.system.close();
    journey = await startJourneyHarness(folder.path, { variables: { OTHER_MODELS: 'model-a' } });
    const { slack, upstream } = journey;
    expect(await slack.press('grace', last, 'Good answer')).toEqual({ acknowledged: true });
    const grace = slack.users.find(({ name }) => name === 'grace');
    await queuesAreEmpty(journey.system);
    const { opinion, outcome } = await stored(thread, grace?.id ?? '');
    expect(opinion).toEqual({ N: '1' });
    // With model and weight version, which tell which model people were content with.
    expect(outcome).toMatchObject({
      finish: 'length',
      model: expect.any(String),
      requestId: expect.any(String),
      weightVersion: expect.any(String),
    });
    expect(await slack.press('grace', last, 'Bad answer')).toEqual({ acknowledged: true });
    await queuesAreEmpty(journey.system);
    expect((await stored(thread, grace?.id ?? '')).opinion).toEqual({ N: '0' });
    await slack.press('ada', last, 'Continue');
    const lastRequest = () => upstream.journal.at(-1)?.body;
    await slack.core.until(() =>
      JSON.stringify(lastRequest())?.includes('Go on exactly') ? true : undefined,
    );
    const cut = 'maximum length';
    const whole = await slack.core.until(() => {
      // Without the ephemeral thanks for the rating.
      const now = botMessages(slack, thread).filter(({ ephemeralTo }) => ephemeralTo === undefined);
      const done =
        contentWithSteps(now.at(-1)).includes('parley:regenerate') &&
        !now.map(contentWithSteps).join('').includes(cut);
      return done ? now : undefined;
    });
    expect(whole[0]?.ts).toBe(first);
    // The note about the cut was not in the prompt of the continuation.
    expect(JSON.stringify(lastRequest())).not.toContain(cut);
  });
});
