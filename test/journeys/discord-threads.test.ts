import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readString } from '../../shared/platforms/discord/api/json-path.ts';
import { PERMISSION } from '../simulators/discord/flags.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA, DEFAULT_IDENTITY, GENERAL, LIN } from '../simulators/discord/index.ts';
import { eventually } from './relay-harness.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';

const SLOWLY = '[[sim:slow=150]] [[sim:tokens=8]]';
/** A channel where no threads may be opened. */
const VOICES = '301000000000000002';
let harness: DiscordHarness;

beforeAll(async () => {
  const guilds = DEFAULT_IDENTITY.guilds.map((guild) => ({
    ...guild,
    locale: 'de',
    // With the permissions of the invite.
    denied: String(PERMISSION.manageThreads),
  }));
  const channels = DEFAULT_IDENTITY.channels.map((channel) =>
    channel.id === VOICES ? { ...channel, denied: String(PERMISSION.createPublicThreads) } : channel,
  );
  harness = await startDiscordHarness({
    variables: { OTHER_MODELS: 'model-a' },
    discord: { identity: { guilds, channels } },
  });
  const { gateway } = harness.journey().system.discord;
  await eventually(() => gateway?.connected === 1);
});
afterAll(() => harness.close());

const say = (text: string, channel?: string) => harness.discord().say('ada', channel, text);
const channelNamed = (id: string) => harness.discord().core.state.channels.get(id);
/** The messages in a thread with the text of an answer, complete or not. */
const inThread = (thread: string) => harness.visibleMessages(ADA, thread);
/** The start of a slow answer is visible. */
const firstMessage = (thread: string) =>
  harness.discord().core.until(() => inThread(thread).find(({ one }) => button(one, 'press.stop') !== ''));

const press = (id: string, one: unknown, what: string) =>
  harness.discord().press('ada', id, button(one, what));

describe('a mention', () => {
  test('is answered in a thread named after it; follow-ups there need no mention and have the history', async () => {
    const thread = say('@Parley My name is Ada. What is 6 * 7?');
    expect((await harness.answers(ADA, 1, thread))[0]?.text).toContain('42');
    expect(channelNamed(thread)).toMatchObject({ parent: GENERAL, name: 'My name is Ada. What is 6 * 7?' });
    say('What is my name?', thread);
    expect((await harness.answers(ADA, 2, thread))[1]?.text).toContain('Ada');
    expect(inThread(thread)).toHaveLength(2);
    expect(JSON.stringify((await harness.answers(ADA, 2, thread))[1]?.one)).toContain('Neu');
  });

  test('gets one thread and one answer when the response to the creation of the thread is lost', async () => {
    const route = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    harness.fault({ kind: 'lose-reply', route });
    const thread = say('@Parley What is [7 * 8](https://example.org/x)?');
    expect((await harness.answers(ADA, 1, thread))[0]?.text).toContain('56');
    expect(channelNamed(thread)).toMatchObject({ name: 'What is 7 * 8?' });
    expect(inThread(thread)).toHaveLength(1);
  });

  test('with a file whose URL has expired is answered with the content of the file', async () => {
    harness.fault({ kind: 'status', status: 404, route: 'GET /attachments' });
    const notes = {
      name: 'notes.txt',
      content: Buffer.from('The deadline is Friday.'),
      contentType: 'text/plain',
    };
    const thread = harness
      .discord()
      .say('ada', undefined, '@Parley When is the deadline?', { files: [notes] });
    expect((await harness.answers(ADA, 1, thread))[0]?.text).toContain('Friday');
  });
});

test('without permission to open threads, a chain of replies is one conversation, separate from other chains', async () => {
  const question = say('@Parley My name is Ada. What is 6 * 7?', VOICES);
  const [first] = await harness.answers(ADA, 1, VOICES);
  expect(first?.one).toMatchObject({ message_reference: { message_id: question } });
  const reply = (to: string | undefined, text: string) =>
    harness.discord().core.say('ada', text, { channel: VOICES, replyTo: to });
  reply(first?.id, 'And 6 * 8?');
  const second = (await harness.answers(ADA, 2, VOICES))[1];
  expect(second?.text).toContain('48');
  reply(second?.id, 'What is my name?');
  expect((await harness.answers(ADA, 3, VOICES))[2]?.text).toContain('Ada');
  say('@Parley What is my name?', VOICES);
  expect((await harness.answers(ADA, 4, VOICES))[3]?.text).not.toContain('Ada');
  expect(channelNamed(question)).toBeUndefined();
});

test('a reply to a picture includes the picture, also with nothing but a mention, and after its URL has expired', async () => {
  const { core } = harness.discord();
  const files = [{ name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64'), contentType: 'image/png' }];
  const picture = core.say('lin', 'My holidays', { files, channel: VOICES });
  const question = core.say('ada', '@Parley', { replyTo: picture, channel: VOICES });
  const answer = await core.until(() =>
    inThread(VOICES).find(
      ({ one }) =>
        readString(one, 'message_reference', 'message_id') === question &&
        button(one, 'press.regenerate') !== '',
    ),
  );
  const { journal } = harness.journey().upstream;
  const requestsFrom = (from: number) => JSON.stringify(journal.slice(from).map(({ body }) => body));
  const before = journal.length;
  const imagePart = '"image_url":{"url":"data:image/png;base64,';
  expect(requestsFrom(before - 1)).toContain(imagePart);
  expect(requestsFrom(before - 1)).toContain('My holidays (with sea.png)');
  harness.fault({ kind: 'status', status: 404, route: 'GET /attachments' });
  await press(answer.id, answer.one, 'press.regenerate');
  await eventually(() => requestsFrom(before).includes(imagePart));
});

describe('a question', () => {
  test('that is edited is answered again in the same message; its deletion deletes the answer', async () => {
    const { core } = harness.discord();
    const root = say('@Parley What is 2 + 2?');
    const [first] = await harness.answers(ADA, 1, root);
    core.edit('ada', root, '@Parley What is 2 + 20?');
    const again = await harness.once(ADA, /\*\*22\*\*/u, root);
    expect(again.id).toBe(first?.id);
    const later = say('What is 3 + 30?', root);
    await harness.answers(ADA, 2, root);
    core.remove('ada', later);
    await core.until(() => (inThread(root).length === 1 ? true : undefined));
    expect(inThread(root)[0]?.id).toBe(first?.id);
  });

  test('in a DM needs no mention, and is remembered', async () => {
    const dm = harness.discord().core.dm('ada');
    say('Our deadline is Monday.', dm);
    await harness.answers(ADA, 1, dm);
    say('When is our deadline?', dm);
    expect((await harness.answers(ADA, 2, dm))[1]?.text).toContain('Monday');
  });

  test('in a DM is answered in the language of the last interaction of the person', async () => {
    const { core } = harness.discord();
    await harness.discord().slash('lin', undefined, '提问', { 问题: 'What is 1 + 1?', 私密: true });
    await harness.once(LIN, /\*\*2\*\*/u);
    const dm = core.dm('lin');
    harness.discord().say('lin', dm, 'What is 2 + 2?');
    expect(JSON.stringify((await harness.answers(LIN, 1, dm))[0]?.one)).toContain('重新生成');
  });
});

describe('a thread', () => {
  test('that is archived during an answer is unarchived by the answer', async () => {
    const thread = say(`@Parley Go on. ${SLOWLY}`);
    await firstMessage(thread);
    harness.discord().core.close(thread, { archived: true });
    await harness.answers(ADA, 1, thread);
    expect(channelNamed(thread)?.archived).not.toBe(true);
  });

  test('that is locked before its answer: the asker gets a direct message', async () => {
    const thread = say('@Parley What is 5 + 5?');
    await harness.answers(ADA, 1, thread);
    say(`Again. ${SLOWLY}`, thread);
    await firstMessage(thread);
    harness.discord().core.close(thread, { archived: true, locked: true });
    const notices = await harness.once(ADA, /gesperrt/u, harness.discord().core.dm('ada'));
    expect(notices.text).toContain('meine Antwort auf');
  });
});

describe('buttons after days and a restart', () => {
  test('Regenerate and another model answer again in place; feedback is acknowledged', async () => {
    const thread = say('@Parley What is 9 + 9?');
    const [before] = await harness.answers(ADA, 1, thread);
    await harness.restart();
    // As every thread is after a day without a message.
    harness.discord().core.close(thread, { archived: true });
    const id = before?.id ?? '';
    expect((await press(id, before?.one, 'press.good')).acknowledged).toBe(true);
    await harness.once(ADA, /Danke\.|Thank you\./u, thread);
    expect((await press(id, before?.one, 'press.bad')).acknowledged).toBe(true);
    const prompt = await harness.once(ADA, /feedback\.comment-form/u, thread);
    const form = await press(prompt.id, prompt.one, 'feedback.comment-form');
    expect(form.acknowledged).toBe(true);
    expect((await harness.discord().submit('ada', form.id, { text: 'It is 81.' })).acknowledged).toBe(true);
    await harness.once(ADA, /can read it|lesen/u, thread);
    await harness.discord().slash('ada', thread, 'feedback');
    await harness.once(ADA, /It is 81\./u, thread);
    expect((await press(id, before?.one, 'press.regenerate')).acknowledged).toBe(true);
    const edits = () =>
      harness
        .discord()
        .calls.filter(({ path, json }) => path.endsWith(id) && readString(json, 'content')?.includes('18'));
    await harness.discord().core.until(() => (edits().length > 0 ? true : undefined));
    const requests = harness.journey().upstream.journal.length;
    const byOther = () =>
      harness
        .journey()
        .upstream.journal.slice(requests)
        .find(({ body }) => JSON.stringify(body).includes('"model-a"'));
    // Until the answer is complete, another click counts as a repeated one: people click again.
    while (!byOther()) {
      await press(id, (await harness.answers(ADA, 1, thread))[0]?.one, '|model-a');
      await pause(500);
    }
    const other = await harness.discord().core.until(byOther);
    expect(other.path).toContain('chat/completions');
    expect(await harness.answers(ADA, 1, thread)).toHaveLength(1);
  });

  test('Continue extends an answer that was cut at the maximum length, and its messages are deleted with that answer', async () => {
    const thread = say('@Parley Hello.');
    await harness.answers(ADA, 1, thread);
    const limit = { name: 'maxTokens', value: '20', for: 'thread' };
    await harness.discord().slash('ada', thread, 'settings', limit);
    await harness.once(ADA, /20/u, thread);
    const question = say('Tell. [[sim:tokens=40]]', thread);
    const cut = await harness
      .discord()
      .core.until(() =>
        inThread(thread).find(({ id, one }) => id > question && button(one, 'press.continue') !== ''),
      );
    await press(cut.id, cut.one, 'press.continue');
    const start = cut.text.split('\n\n_')[0] ?? '';
    const whole = await harness
      .discord()
      .core.until(() =>
        inThread(thread).find(
          ({ id, text, one }) =>
            id === cut.id && text.length > start.length + 90 && button(one, 'press.regenerate') !== '',
        ),
      );
    expect(whole.text.startsWith(start)).toBe(true);
    expect(harness.journey().upstream.journal.at(-1)?.body).toMatchObject({ max_tokens: 20 });
  });

  test('Stop ends an answer with the text so far', async () => {
    const thread = say('@Parley Tell. [[sim:slow=200]] [[sim:tokens=60]]');
    const running = await firstMessage(thread);
    await press(running.id, running.one, 'press.stop');
    const [stopped] = await harness.answers(ADA, 1, thread);
    expect(stopped?.text).toMatch(/gestoppt/u);
  });
});

test('the wait time is shown below the question, in the message that becomes the answer', async () => {
  const notices: string[] = [];
  const thread = say('@Parley What is 7 + 8? [[sim:limited retry=5 times=1]]');
  await harness.discord().core.until(() => {
    const [first] = inThread(thread);
    notices.push(readString(first?.one, 'content') ?? '');
    return notices.at(-1)?.includes('15') ? true : undefined;
  });
  expect(notices).toContainEqual(expect.stringMatching(/^-# Parley .*[1-5] s/u));
  expect(await harness.answers(ADA, 1, thread)).toHaveLength(1);
});

test('each question is answered once when the relay is killed with SIGKILL while questions arrive', async () => {
  const threads: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    threads.push(say(`@Parley What is ${round} + 100?`));
    const [relay] = harness.journey().system.emulator.processes;
    if (relay?.pid !== undefined) process.kill(relay.pid, 'SIGKILL');
    threads.push(say(`@Parley What is ${round} + 200?`));
  }
  const answers = await Promise.all(threads.map((thread) => harness.answers(ADA, 1, thread)));
  expect(answers.map(([one]) => one?.text)).toEqual([
    expect.stringContaining('100'),
    expect.stringContaining('200'),
    expect.stringContaining('101'),
    expect.stringContaining('201'),
    expect.stringContaining('102'),
    expect.stringContaining('202'),
  ]);
  expect(threads.map((thread) => inThread(thread).length)).toEqual(threads.map(() => 1));
});
