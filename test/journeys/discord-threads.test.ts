import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { textAt } from '../../shared/platforms/discord/inbound/json-path.ts';
import { PERMISSION } from '../simulators/discord/flags.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA, DEFAULT_IDENTITY, GENERAL, LIN } from '../simulators/discord/index.ts';
import { eventually } from './relay.ts';
import { button, type DiscordWorld, startDiscordWorld } from './discord-world.ts';

const SLOWLY = '[[sim:slow=150]] [[sim:tokens=8]]';
/** Where no threads may be opened. */
const VOICES = '301000000000000002';
let world: DiscordWorld;

beforeAll(async () => {
  const guilds = DEFAULT_IDENTITY.guilds.map((guild) => ({
    ...guild,
    locale: 'de',
    // As the bot is invited.
    denied: String(PERMISSION.manageThreads),
  }));
  const channels = DEFAULT_IDENTITY.channels.map((channel) =>
    channel.id === VOICES ? { ...channel, denied: String(PERMISSION.createPublicThreads) } : channel,
  );
  world = await startDiscordWorld({
    variables: { OTHER_MODELS: 'model-a' },
    discord: { identity: { guilds, channels } },
  });
  const { gateway } = world.journey().system.discord;
  await eventually(() => gateway?.connected === 1);
}, 240_000);
afterAll(() => world.close());

const say = (text: string, channel?: string) => world.discord().say('ada', channel, text);
const channelNamed = (id: string) => world.discord().core.state.channels.get(id);
/** The messages in a thread with the words of an answer, finished or not. */
const inThread = (thread: string) => world.seen(ADA, thread);
/** The first words of a slow answer stand there. */
const begun = (thread: string) =>
  world.discord().core.until(() => inThread(thread).find(({ one }) => button(one, 'press.stop') !== ''));

const press = (id: string, one: unknown, what: string) => world.discord().press('ada', id, button(one, what));

describe('a mention', () => {
  test('is answered in a thread that is named by it; what follows there needs no name, and is remembered', async () => {
    const thread = say('@Parley My name is Ada. What is 6 * 7?');
    expect((await world.answers(ADA, 1, thread))[0]?.text).toContain('42');
    expect(channelNamed(thread)).toMatchObject({ parent: GENERAL, name: 'My name is Ada. What is 6 * 7?' });
    say('What is my name?', thread);
    expect((await world.answers(ADA, 2, thread))[1]?.text).toContain('Ada');
    expect(inThread(thread)).toHaveLength(2);
    expect(JSON.stringify((await world.answers(ADA, 2, thread))[1]?.one)).toContain('Neu');
  });

  test('has one thread and one answer when the opening of the thread is answered by nobody', async () => {
    const route = 'POST /channels/{channel_id}/messages/{message_id}/threads';
    world.fault({ kind: 'lose-reply', route });
    const thread = say('@Parley What is [7 * 8](https://example.org/x)?');
    expect((await world.answers(ADA, 1, thread))[0]?.text).toContain('56');
    expect(channelNamed(thread)).toMatchObject({ name: 'What is 7 * 8?' });
    expect(inThread(thread)).toHaveLength(1);
  });

  test('with a file whose address has run out is answered with what it holds', async () => {
    world.fault({ kind: 'status', status: 404, route: 'GET /attachments' });
    const notes = {
      name: 'notes.txt',
      content: Buffer.from('The deadline is Friday.'),
      contentType: 'text/plain',
    };
    const thread = world.discord().say('ada', undefined, '@Parley When is the deadline?', { files: [notes] });
    expect((await world.answers(ADA, 1, thread))[0]?.text).toContain('Friday');
  });
});

test('where no thread may be opened, a chain of replies is one conversation, and another is none of it', async () => {
  const asked = say('@Parley My name is Ada. What is 6 * 7?', VOICES);
  const [first] = await world.answers(ADA, 1, VOICES);
  expect(first?.one).toMatchObject({ message_reference: { message_id: asked } });
  const reply = (to: string | undefined, text: string) =>
    world.discord().core.say('ada', text, { channel: VOICES, replyTo: to });
  reply(first?.id, 'And 6 * 8?');
  const second = (await world.answers(ADA, 2, VOICES))[1];
  expect(second?.text).toContain('48');
  reply(second?.id, 'What is my name?');
  expect((await world.answers(ADA, 3, VOICES))[2]?.text).toContain('Ada');
  say('@Parley What is my name?', VOICES);
  expect((await world.answers(ADA, 4, VOICES))[3]?.text).not.toContain('Ada');
  expect(channelNamed(asked)).toBeUndefined();
});

test('a reply to a picture has it seen, also by the name of the bot alone, and after its address has run out', async () => {
  const { core } = world.discord();
  const files = [{ name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64'), contentType: 'image/png' }];
  const picture = core.say('lin', 'My holidays', { files, channel: VOICES });
  const question = core.say('ada', '@Parley', { replyTo: picture, channel: VOICES });
  const answer = await core.until(() =>
    inThread(VOICES).find(
      ({ one }) =>
        textAt(one, 'message_reference', 'message_id') === question && button(one, 'press.regenerate') !== '',
    ),
  );
  const { journal } = world.journey().upstream;
  const asked = (from: number) => JSON.stringify(journal.slice(from).map(({ body }) => body));
  const before = journal.length;
  const seen = '"image_url":{"url":"data:image/png;base64,';
  expect(asked(before - 1)).toContain(seen);
  expect(asked(before - 1)).toContain('My holidays (with sea.png)');
  world.fault({ kind: 'status', status: 404, route: 'GET /attachments' });
  await press(answer.id, answer.one, 'press.regenerate');
  await eventually(() => asked(before).includes(seen));
});

describe('what becomes of a question', () => {
  test('edited, it is answered anew in the same message; deleted, its answer goes', async () => {
    const { core } = world.discord();
    const root = say('@Parley What is 2 + 2?');
    const [first] = await world.answers(ADA, 1, root);
    core.edit('ada', root, '@Parley What is 2 + 20?');
    const again = await world.once(ADA, /\*\*22\*\*/u, root);
    expect(again.id).toBe(first?.id);
    const later = say('What is 3 + 30?', root);
    await world.answers(ADA, 2, root);
    core.remove('ada', later);
    await core.until(() => (inThread(root).length === 1 ? true : undefined));
    expect(inThread(root)[0]?.id).toBe(first?.id);
  });

  test('in a chat with the bot alone it needs no name, and is remembered there', async () => {
    const dm = world.discord().core.dm('ada');
    say('Our deadline is Monday.', dm);
    await world.answers(ADA, 1, dm);
    say('When is our deadline?', dm);
    expect((await world.answers(ADA, 2, dm))[1]?.text).toContain('Monday');
  });

  test('in a chat with the bot alone it speaks as the last call of that person did', async () => {
    const { core } = world.discord();
    await world.discord().slash('lin', undefined, '提问', { 问题: 'What is 1 + 1?', 私密: true });
    await world.once(LIN, /\*\*2\*\*/u);
    const dm = core.dm('lin');
    world.discord().say('lin', dm, 'What is 2 + 2?');
    expect(JSON.stringify((await world.answers(LIN, 1, dm))[0]?.one)).toContain('重新生成');
  });
});

describe('a thread', () => {
  test('that is put away while it is answered wakes up with the answer', async () => {
    const thread = say(`@Parley Go on. ${SLOWLY}`);
    await begun(thread);
    world.discord().core.close(thread, { archived: true });
    await world.answers(ADA, 1, thread);
    expect(channelNamed(thread)?.archived).not.toBe(true);
  });

  test('that is locked before its answer: who asked is told in a chat of their own', async () => {
    const thread = say('@Parley What is 5 + 5?');
    await world.answers(ADA, 1, thread);
    say(`Again. ${SLOWLY}`, thread);
    await begun(thread);
    world.discord().core.close(thread, { archived: true, locked: true });
    const told = await world.once(ADA, /gesperrt/u, world.discord().core.dm('ada'));
    expect(told.text).toContain('meine Antwort auf');
  });
});

describe('buttons, days later and after a restart', () => {
  test('Regenerate and another model answer anew in place; the feedback is thanked for', async () => {
    const thread = say('@Parley What is 9 + 9?');
    const [before] = await world.answers(ADA, 1, thread);
    await world.restart();
    // As every thread is after a day without a word.
    world.discord().core.close(thread, { archived: true });
    const id = before?.id ?? '';
    expect((await press(id, before?.one, 'press.good')).acknowledged).toBe(true);
    await world.once(ADA, /Danke\.|Thank you\./u, thread);
    expect((await press(id, before?.one, 'press.bad')).acknowledged).toBe(true);
    const asked = await world.once(ADA, /feedback\.comment-form/u, thread);
    const form = await press(asked.id, asked.one, 'feedback.comment-form');
    expect(form.acknowledged).toBe(true);
    expect((await world.discord().submit('ada', form.id, { text: 'It is 81.' })).acknowledged).toBe(true);
    await world.once(ADA, /can read it|lesen/u, thread);
    await world.discord().slash('ada', thread, 'feedback');
    await world.once(ADA, /It is 81\./u, thread);
    expect((await press(id, before?.one, 'press.regenerate')).acknowledged).toBe(true);
    const edits = () =>
      world
        .discord()
        .calls.filter(({ path, json }) => path.endsWith(id) && textAt(json, 'content')?.includes('18'));
    await world.discord().core.until(() => (edits().length > 0 ? true : undefined));
    const requests = world.journey().upstream.journal.length;
    const byOther = () =>
      world
        .journey()
        .upstream.journal.slice(requests)
        .find(({ body }) => JSON.stringify(body).includes('"model-a"'));
    // Until the answer is whole, another press counts as a second one of the same button: people press again.
    while (!byOther()) {
      await press(id, (await world.answers(ADA, 1, thread))[0]?.one, '|model-a');
      await pause(500);
    }
    const other = await world.discord().core.until(byOther);
    expect(other.path).toContain('chat/completions');
    expect(await world.answers(ADA, 1, thread)).toHaveLength(1);
  });

  test('Continue goes on where the longest answer allowed was cut off, and goes with that', async () => {
    const thread = say('@Parley Hello.');
    await world.answers(ADA, 1, thread);
    const limit = { name: 'maxTokens', value: '20', for: 'thread' };
    await world.discord().slash('ada', thread, 'settings', limit);
    await world.once(ADA, /20/u, thread);
    const question = say('Tell. [[sim:tokens=40]]', thread);
    const cut = await world
      .discord()
      .core.until(() =>
        inThread(thread).find(({ id, one }) => id > question && button(one, 'press.continue') !== ''),
      );
    await press(cut.id, cut.one, 'press.continue');
    const start = cut.text.split('\n\n_')[0] ?? '';
    const whole = await world
      .discord()
      .core.until(() =>
        inThread(thread).find(
          ({ id, text, one }) =>
            id === cut.id && text.length > start.length + 90 && button(one, 'press.regenerate') !== '',
        ),
      );
    expect(whole.text.startsWith(start)).toBe(true);
    expect(world.journey().upstream.journal.at(-1)?.body).toMatchObject({ max_tokens: 20 });
  });

  test('Stop ends an answer with what has come', async () => {
    const thread = say('@Parley Tell. [[sim:slow=200]] [[sim:tokens=60]]');
    const running = await begun(thread);
    await press(running.id, running.one, 'press.stop');
    const [stopped] = await world.answers(ADA, 1, thread);
    expect(stopped?.text).toMatch(/angehalten/u);
  });
});

test('who has to wait is told for how long below the question, in the message that becomes the answer', async () => {
  const told: string[] = [];
  const thread = say('@Parley What is 7 + 8? [[sim:limited retry=5 times=1]]');
  await world.discord().core.until(() => {
    const [first] = inThread(thread);
    told.push(textAt(first?.one, 'content') ?? '');
    return told.at(-1)?.includes('15') ? true : undefined;
  });
  expect(told).toContainEqual(expect.stringMatching(/^-# Parley .*[1-5] s/u));
  expect(await world.answers(ADA, 1, thread)).toHaveLength(1);
}, 30_000);

test('killed with kill -9 while questions come, the relay has each answered once', async () => {
  const threads: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    threads.push(say(`@Parley What is ${round} + 100?`));
    const [relay] = world.journey().system.emulator.processes;
    if (relay?.pid !== undefined) process.kill(relay.pid, 'SIGKILL');
    threads.push(say(`@Parley What is ${round} + 200?`));
  }
  const answers = await Promise.all(threads.map((thread) => world.answers(ADA, 1, thread)));
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
