import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createWebCall } from '../../shared/platforms/slack/index.ts';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import type { Message } from '../simulators/slack/index.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  startJourneyHarness,
  contentWithSteps,
} from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;
/** The thread of an answer that starts before all others, because its Stop appears only after five seconds. */
let lasting: string;

beforeAll(async () => {
  // An app without the event subscription for Slack's own Stop.
  const subscriptions = DEFAULT_IDENTITY.subscriptions.filter((name) => name !== 'agent_session_stopped');
  journey = await startJourneyHarness(folder.path, { slack: { identity: { subscriptions } } });
  lasting = await journey.slack.say('ada', LONG);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** Four seconds, in which the bot polls several times. */
const SLOW = '[[sim:tokens=200]] [[sim:slow=20]]';
const LONG = '@parley Tell me everything. [[sim:tokens=4000]] [[sim:slow=20]]';
const ada = (): string => journey.slack.users[0]?.id ?? '';
const messageAt = (ts: string): Message | undefined =>
  journey.slack.core.state.messages.get(journey.slack.channel)?.get(ts);

/** Resolves once the nth message of the thread has text of the answer. */
const firstMessage = (thread: string, nth = 1): Promise<Message> =>
  journey.slack.core.until(() => {
    const message = botMessages(journey.slack, thread)[nth - 1];
    return message?.stream?.open && message.text !== '' ? message : undefined;
  });

/** Resolves once the answers in the thread are complete and the last one has this text. */
const finished = (thread: string, words: RegExp): Promise<Message[]> =>
  journey.slack.core.until(() => {
    const messages = botMessages(journey.slack, thread);
    const last = messages.at(-1);
    const read = words.test(JSON.stringify([last?.text, last?.steps]));
    return read && contentWithSteps(last).includes('parley:regenerate') ? messages : undefined;
  });

/** How often a model request was aborted. */
const left = (): number => journey.upstream.journal.filter(({ ended }) => ended === 'gone').length;

/** Resolves with the message in the thread that has a Stop button. */
const withStop = (thread: string): Promise<Message> =>
  journey.slack.core.until(() =>
    botMessages(journey.slack, thread).find((message) => contentWithSteps(message).includes('parley:stop')),
  );

/** Resolves once the model request is aborted and the one message in the thread has its usage. */
async function stopped(thread: string, before: number): Promise<void> {
  const { slack } = journey;
  await slack.core.until(() => {
    const messages = botMessages(slack, thread);
    const content = contentWithSteps(messages[0]);
    // The last words may be shown by an edit of their own, before the one that takes the button away.
    const isStopped = /Stopped after (?:about )?\d/u.test(content) && !content.includes('parley:stop');
    return messages.length === 1 && isStopped ? true : undefined;
  });
  await waitUntil(() => left() > before);
}

describe('while an answer is written', () => {
  test('another question is marked as seen, and answered next', async () => {
    const { slack } = journey;
    const thread = await slack.say('ada', `@parley Tell me about the sea. ${SLOW}`);
    await firstMessage(thread);
    const second = await slack.say('grace', 'What is 10 + 11?', { thread });
    await slack.core.until(() => messageAt(second)?.reactions?.find(({ name }) => name === 'eyes'));
    expect(botMessages(slack, thread)).toHaveLength(1);
    expect(botMessages(slack, thread)[0]?.stream?.open).toBe(true);
    expect(contentWithSteps((await finished(thread, /21/u))[1])).toContain('21');
  });

  test('its question is edited: the model request ends, and the answer is written again in place', async () => {
    const { slack } = journey;
    const before = left();
    const thread = await slack.say('ada', `@parley Tell me about the sea. ${SLOW}`);
    const first = await firstMessage(thread);
    // Longer than the polling interval of the worker.
    slack.core.edit(ada(), slack.channel, thread, '@parley What is 20 + 31? [[sim:late=1500]]');
    await waitUntil(() => left() > before);
    const messages = await finished(thread, /51/u);
    expect(messages.map(({ ts }) => ts)).toEqual([first.ts]);
    expect(messages[0]?.text).not.toContain('sea');
  });

  test('its question is deleted: the partial answer is deleted, and absent from the next prompt', async () => {
    const { slack, upstream } = journey;
    const before = left();
    const thread = await slack.say('ada', '@parley What is 2 + 2?');
    await answersIn(slack, thread);
    const secret = await slack.say('ada', `My number is 7391. ${SLOW}`, { thread });
    await firstMessage(thread, 2);
    slack.core.remove(ada(), slack.channel, secret);
    await waitUntil(() => left() > before);
    await slack.core.until(() => (botMessages(slack, thread).length === 1 ? true : undefined));
    await slack.say('ada', 'And what is 3 + 3?', { thread });
    await finished(thread, /6/u);
    const request = upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'));
    expect(JSON.stringify(request?.body)).not.toContain('7391');
  });

  test('a question is edited, and one deleted, before the first word: the model request ends at once', async () => {
    const { slack, upstream } = journey;
    const before = left();
    const untilRequested = (question: string) =>
      waitUntil(() => upstream.journal.some(({ body }) => JSON.stringify(body).includes(question)));
    const thread = await slack.say('ada', '@parley What is 20 + 32? [[sim:late=60000]]');
    await untilRequested('20 + 32');
    slack.core.edit(ada(), slack.channel, thread, '@parley What is 20 + 33?');
    await finished(thread, /53/u);
    const second = await slack.say('ada', 'What is 30 + 32? [[sim:late=60000]]', { thread });
    await untilRequested('30 + 32');
    slack.core.remove(ada(), slack.channel, second);
    await slack.say('ada', 'And what is 30 + 33?', { thread });
    expect(await finished(thread, /63/u)).toHaveLength(2);
    expect(left()).toBe(before + 2);
  });

  test('a long native stream has a Stop button below it where Slack shows none, and both disappear after a click', async () => {
    const { slack } = journey;
    const before = left();
    const stop = await withStop(lasting);
    expect(botMessages(slack, lasting)[0]?.stream?.open).toBe(true);
    expect(stop.ts).not.toBe(botMessages(slack, lasting)[0]?.ts);
    await slack.press('grace', stop.ts, 'Stop');
    await stopped(lasting, before);
  });

  test('an answer by posts and edits has a Stop button', async () => {
    const { slack } = journey;
    const before = left();
    slack.faults.add({ kind: 'refuse', method: 'chat.startStream', error: 'channel_type_not_supported' });
    const thread = await slack.say('ada', LONG);
    const answer = await withStop(thread);
    await slack.press('ada', answer.ts, 'Stop');
    await stopped(thread, before);
    expect(left()).toBe(before + 1);
  });
});

test('a deleted question deletes its own answer, and no other message of the thread', async () => {
  const { slack } = journey;
  const { channel } = slack;
  const call = createWebCall({ slackApiUrl: slack.apiUrl, token: async () => slack.botToken });
  const thread = await slack.say('ada', '@parley What is 20 + 2?');
  await finished(thread, /22/u);
  const question = await slack.say('ada', 'And 30 + 3?', { thread });
  await finished(thread, /33/u);
  const { ts } = await call('chat.postMessage', { channel, thread_ts: thread, text: 'A summary.' });
  const place = await call('files.getUploadURLExternal', { filename: 'film.mp4', length: 4 });
  await fetch(String(place['upload_url']), { method: 'POST', body: 'film' });
  const files = [{ id: place['file_id'] }];
  await call('files.completeUploadExternal', { files, channel_id: channel, thread_ts: thread });
  await slack.say('ada', 'And 40 + 4?', { thread });
  const before = await finished(thread, /44/u);
  expect(before).toHaveLength(5);
  slack.core.remove(ada(), channel, question);
  await waitUntil(() => botMessages(slack, thread).every(({ ts: id }) => id !== before[1]?.ts));
  await slack.say('ada', 'And 50 + 5?', { thread });
  const after = (await finished(thread, /55/u)).slice(0, -1);
  const ids = after.map((one) => one.ts);
  expect(ids).toEqual(before.filter((_, at) => at !== 1).map((one) => one.ts));
  expect(ids).toContain(ts);
  expect(after.flatMap((one) => one.files ?? [])).toHaveLength(1);
});

test('a deleted thread root ends the model request, and nothing more is posted', async () => {
  const { slack, upstream } = journey;
  const chats = () => upstream.journal.filter(({ method }) => method === 'POST');
  const before = left();
  const thread = await slack.say('ada', LONG);
  await slack.core.until(() => (botMessages(slack, thread)[0]?.text ? true : undefined));
  await slack.say('ada', 'And then?', { thread });
  slack.core.remove(slack.users[0]?.id ?? '', slack.channel, thread);
  await slack.core.until(() => (botMessages(slack, thread).length === 0 ? true : undefined));
  await waitUntil(() => left() > before);
  const requests = chats().length;
  const stays = await slack.say('ada', '@parley What is 1 + 2?');
  await slack.core.until(() => (/3/u.test(botMessages(slack, stays)[0]?.text ?? '') ? true : undefined));
  await slack.delivery.idle();
  expect(botMessages(slack, thread)).toEqual([]);
  const all = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
  expect(all.filter(({ user, thread: root }) => user === slack.botUserId && root === undefined)).toEqual([]);
  expect(chats()).toHaveLength(requests + 1);
});

describe('before the first text of an answer', () => {
  test.each([
    ['an answer', '[[sim:late=900]] What is 1 + 1?'],
    ['a failure', '[[sim:late=900]] [[sim:error=400]] What is 1 + 1?'],
  ])('a status shows that the bot works, and disappears with %s', async (_, question) => {
    const { slack } = journey;
    const thread = await slack.say('ada', `@parley ${question}`);
    await finished(thread, /./u);
    const statuses = () =>
      slack.calls
        .filter(
          ({ method, args }) => method === 'assistant.threads.setStatus' && args['thread_ts'] === thread,
        )
        .map(({ args }) => args['status']);
    expect(statuses()[0]).toBe('is thinking…');
    await waitUntil(() => statuses().at(-1) === '');
  });
});

test('the model can search messages that the prompt no longer contains, and people see the search', async () => {
  const { slack } = journey;
  const thread = await slack.say('ada', '@parley My cat is called Newton.');
  await answersIn(slack, thread);
  for (let n = 2; n <= 8; n += 1) {
    await slack.say('ada', 'Tell me more. [[sim:tokens=1500]]', { thread });
    await slack.core.until(() =>
      botMessages(slack, thread).filter((one) => contentWithSteps(one).includes('parley:regenerate'))
        .length >= n
        ? true
        : undefined,
    );
  }
  await slack.say('ada', 'What is my cat called? [[sim:tool=search_thread]]', { thread });
  const messages = await finished(thread, /Searching this thread/u);
  expect(messages.at(-1)?.steps).toMatchObject([{ status: 'complete' }]);
});

// Last, because after a 429 less of the key's limit is used for a while.
test.each([
  ['a limit', '[[sim:limited retry=2 times=3]]', /^is waiting in line: .*about [1-6] s/u],
  ['a model at capacity', '[[sim:capacity retry=2 times=3]]', /^is waiting: the model is at capacity/u],
])('a person who waits for %s sees it, and is answered later', async (_, directive, waiting) => {
  const { slack } = journey;
  const from = slack.calls.length;
  const thread = await slack.say('ada', `@parley What is 7 + 8? ${directive}`);
  expect(contentWithSteps((await finished(thread, /15/u))[0])).toContain('15');
  const statuses = slack.calls.slice(from).map(({ args }) => args['status']);
  expect(statuses).toContainEqual(expect.stringMatching(waiting));
});
