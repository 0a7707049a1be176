import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { getKeyFingerprint } from '../../shared/aws/index.ts';
import { ADA, type DiscordSimulator, GENERAL, GRACE, GUILD } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, type VisibleMessage, startDiscordHarness } from './discord-harness.ts';
import {
  dynamoOf,
  expectNoTracesAfterRedelivery,
  expireItems,
  findTraces,
  recordSentMessages,
  storedFiles,
  tableTexts,
  API_KEY,
  LONG_TEXT_REPEATS,
  PICTURE,
  type SentMessage,
  VIDEOS,
} from './erasure-traces.ts';
import { tableOf } from './relay-harness.ts';
import { voiceMessage } from './recordings.ts';
import { waitUntil, queuesAreEmpty } from './harness.ts';

// As erasure-search.test.ts, on Discord.

const SHORT = '[[sim:tokens=8]]';
const SLOW = '[[sim:tokens=40]] [[sim:slow=100]]';
const IDS: Readonly<Record<string, string>> = { ada: ADA, grace: GRACE };

let harness: DiscordHarness;
let discord: DiscordSimulator;
let dynamo: DynamoDB;

beforeEach(async () => {
  harness = await startDiscordHarness({ variables: VIDEOS });
  discord = harness.discord();
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
  harness.journey().upstream.control.change({ queueMs: 0, runMs: 100 });
  dynamo = dynamoOf(harness.journey().system);
});
afterEach(async () => {
  dynamo.destroy();
  await harness.close();
});

const idOf = (name: string): string => IDS[name] ?? name;
const done = (): Promise<void> => queuesAreEmpty(harness.journey().system);
const tracesOf = (canaries: readonly string[]): Promise<string[]> =>
  findTraces(harness.journey().system, harness.folder, canaries);
const prompts = (from = 0): string => JSON.stringify(harness.journey().upstream.journal.slice(from));

/** The new messages for a person with this text, after this action. */
async function untilShown(
  name: string,
  words: RegExp,
  act: () => Promise<unknown>,
  channel?: string,
): Promise<VisibleMessage> {
  const read = (): VisibleMessage[] => harness.visibleMessages(idOf(name), channel);
  const before = new Set(read().map(({ one }) => JSON.stringify(one)));
  await act();
  return discord.core.until(() =>
    read().findLast(({ one }) => words.test(JSON.stringify(one)) && !before.has(JSON.stringify(one))),
  );
}

/** Asks a question, and resolves with the thread when it is answered and all queues are empty. */
async function askFor(name: string, question: string, thread?: string, more: object = {}): Promise<string> {
  const before = thread === undefined ? 0 : harness.visibleMessages(idOf(name), thread).length;
  const id = discord.say(name, thread, `@Parley ${question} ${SHORT}`, more);
  const place = thread ?? id;
  await discord.core.until(() =>
    harness.visibleMessages(idOf(name), place).length > before ? true : undefined,
  );
  await done();
  return place;
}

/** Uses the control of a message whose id contains this. */
const press = (name: string, { id, one }: VisibleMessage, part: string) =>
  discord.press(name, id, button(one, part));

/** A question that is merged into the turn of somebody else, and edited afterwards. */
async function leaveMerged(name: string, of: (kind: string) => string): Promise<void> {
  const other = name === 'ada' ? 'grace' : 'ada';
  const thread = discord.say(other, undefined, `@Parley Tell me about the sea. ${SLOW}`);
  await discord.core.until(() =>
    harness.visibleMessages(ADA, thread).find(({ one }) => button(one, 'press.stop') !== ''),
  );
  discord.say(other, thread, `What is 10 + 11? ${SHORT}`);
  const merged = discord.say(name, thread, `And ${of('merged')}?`);
  await done();
  const { journal } = harness.journey().upstream;
  expect(JSON.stringify(journal.at(-1)?.body)).toMatch(new RegExp(`10 . 11.*${of('merged')}`, 'u'));
  const from = journal.length;
  discord.core.edit(name, merged, `And ${of('edited')}?`);
  await waitUntil(() => prompts(from).includes(of('edited')));
  await done();
}

/** A modal filled in by the model, with text of the person, which nobody else sees yet. */
async function leaveDraft(name: string, of: (kind: string) => string): Promise<void> {
  const schema = await discord.slash('ada', undefined, 'schema', { do: 'save', name: 'ticket' });
  const text = JSON.stringify({
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
  });
  await untilShown('ada', /schema:ticket/u, () => discord.submit('ada', schema.id, { text }));
  const question = { question: 'It is slow', schema: 'ticket' };
  const filled = await untilShown(name, /Only you see this/u, () =>
    discord.slash(name, undefined, 'ask', question),
  );
  const editing = await press(name, filled, 'schema.edit-form');
  await untilShown(name, new RegExp(of('draft'), 'u'), () =>
    discord.submit(name, editing.id, { f0: `It is ${of('draft')}.` }),
  );
}

/** A video, a question about a message that quotes it, and a file that the model reads with a tool. */
async function leaveFeatureTraces(name: string, thread: string, of: (kind: string) => string): Promise<void> {
  const picture = discord.say(name, thread, 'Look.', { files: [{ ...PICTURE, contentType: 'image/png' }] });
  const video = await discord.menu(name, picture, 'Animate');
  await untilShown(
    name,
    /A video was made/u,
    () => discord.submit(name, video.id, { prompt: `${of('prompt')} rolls in.` }),
    thread,
  );
  const quoted = discord.say(name, undefined, `Mind ${of('quoted')}.`);
  const about = await discord.menu(name, quoted, 'Ask about this');
  await untilShown(name, /quoted|practice model/u, () =>
    discord.submit(name, about.id, { question: 'How so?' }),
  );
  const content = Buffer.from(`${of('result')} `.repeat(LONG_TEXT_REPEATS));
  const files = [{ name: 'long.txt', content, contentType: 'text/plain' }];
  await askFor(name, '[[sim:tool=read_file]] Read on in it.', thread, { files });
  expect(prompts()).toContain(of('quoted'));
  expect(prompts().split('"role":"tool"').slice(1).join()).toContain(of('result'));
}

const STORED = ['question', 'file', 'tool', 'prompt', 'feedback', 'persona', 'draft', 'edited'];
const IN_THREAD = ['question', 'file', 'tool', 'result', 'prompt', 'feedback'];

/** A text of each kind by one person, and the thread that contains most of them. */
async function leaveTraces(name: string, mark: string, digits: readonly number[], words: string) {
  const of = (kind: string): string => `canary-${kind}-${mark}`;
  const content = Buffer.from(`${of('file')} is what the file says.`);
  const files = [{ name: 'notes.txt', content, contentType: 'text/plain' }];
  const own = await askFor(name, `What about ${of('question')}?`, undefined, { files });
  await askFor(name, `[[sim:tools=1]] Look for "${of('tool')}"`, own);
  const recorded = discord.say(name, own, '', await voiceMessage(digits));
  await untilShown(name, new RegExp(words, 'u'), () => discord.menu(name, recorded, 'Transcribe'), own);
  await done();
  await leaveFeatureTraces(name, own, of);
  const [answer] = await harness.answers(idOf(name), 1, own);
  if (!answer) throw new Error('there is no answer');
  const why = await untilShown(name, /What was wrong with it/u, () => press(name, answer, 'press.bad'), own);
  const form = await press(name, why, 'feedback');
  await untilShown(
    name,
    /can read it/u,
    () => discord.submit(name, form.id, { text: `It is ${of('feedback')}.` }),
    own,
  );
  const persona = await discord.slash(name, undefined, 'persona', { do: 'save', name: `p-${mark}` });
  await untilShown(name, /./u, () => discord.submit(name, persona.id, { text: `Be ${of('persona')}.` }));
  await leaveDraft(name, of);
  await leaveMerged(name, of);
  const stored = [...STORED.map(of), words];
  const before = await tableTexts(harness.journey().system);
  // The search finds what is stored.
  expect(stored.filter((one) => !before.some((text) => text.includes(one)))).toEqual([]);
  return {
    all: [...stored, ...['result', 'quoted', 'merged'].map(of)],
    inThread: [...IN_THREAD.map(of), words],
    own,
  };
}

const redeliverNothing = (sent: readonly SentMessage[], name: string, canaries: readonly string[]) =>
  expectNoTracesAfterRedelivery(harness.journey(), harness.folder, { sent, person: idOf(name), canaries });

test('Discord: an erased person leaves no data, also in what others wrote, and nothing is read again', async () => {
  const sent = recordSentMessages(harness.journey().system);
  const { all } = await leaveTraces('grace', 'me', [7, 1, 9, 4], 'seven one nine four');
  const party = discord.say('ada', GENERAL, 'Where is the party?');
  discord.core.thread('ada', party, 'The party');
  const message = discord.say('grace', party, 'The party is at canary-said-me.');
  await askFor('ada', 'What do you think of it?', party);
  await untilShown('ada', /Based on/u, () => discord.menu('ada', party, 'Summarise thread'));
  await done();
  // Another person has a modal open that quotes it.
  expect((await discord.menu('ada', message, 'Ask about this')).acknowledged).toBe(true);
  const every = [...all, 'canary-said-me'];
  expect((await tracesOf(every)).join()).toContain('canary-said-me');
  const drafts = async () =>
    (await tableTexts(harness.journey().system)).filter((text) => text.includes('"#summary"'));
  expect(await drafts()).toHaveLength(1);

  const waiting = [...sent];
  const card = await untilShown('grace', /forget\.me/u, () =>
    discord.slash('grace', undefined, 'forget', { what: 'me' }),
  );
  await untilShown('grace', /forgotten everything about you/u, () => press('grace', card, 'forget.me'));
  await done();
  expect(await tracesOf(every)).toEqual([]);
  expect(await drafts()).toEqual([]);
  await redeliverNothing(waiting, 'grace', every);

  const asks = harness.journey().upstream.journal.length;
  await askFor('ada', 'And where is it?', party);
  await untilShown('ada', /Based on|nothing/iu, () => discord.menu('ada', party, 'Summarise thread'));
  await done();
  expect(harness.journey().upstream.journal.length).toBeGreaterThan(asks);
  expect(prompts(asks)).not.toContain('canary-');
  expect(await tracesOf(every)).toEqual([]);
});

test('Discord: an erased thread leaves no data, including what was made from it', async () => {
  const sent = recordSentMessages(harness.journey().system);
  const { inThread, own } = await leaveTraces('ada', 'thread', [8, 2, 8, 3], 'eight two eight three');
  await untilShown('grace', /Based on/u, () => discord.menu('grace', own, 'Summarise thread'));
  await done();
  const waiting = [...sent];
  const card = await untilShown(
    'ada',
    /forget\.thread/u,
    () => discord.slash('ada', own, 'forget', { what: 'thread' }),
    own,
  );
  await untilShown('ada', /Done|forgotten/u, () => press('ada', card, 'forget.thread'), own);
  await done();
  expect(await tracesOf(inThread)).toEqual([]);
  const drafts = (await tableTexts(harness.journey().system)).filter((text) => text.includes('"#summary"'));
  expect(drafts.filter((text) => text.includes(own))).toEqual([]);
  await redeliverNothing(waiting, 'ada', inThread);
});

test('Discord: data beyond the retention is gone after a restart, also from the files', async () => {
  const { all } = await leaveTraces('ada', 'old', [6, 6, 1, 0], 'six six one zero');
  const files = all.filter((one) => !one.includes('persona'));
  const setting = { name: 'retentionDays', value: '1', for: 'workspace' };
  await untilShown('ada', /./u, () => discord.slash('ada', undefined, 'settings', setting));
  await done();
  expect(await expireItems(dynamo, harness.journey().system, files)).toBeGreaterThan(3);
  await harness.restart();
  expect(await tracesOf(files)).toEqual([]);
});

test('Discord: a guild that removes the bot leaves no data, and no file of the system contains its text', async () => {
  const { system } = harness.journey();
  const sent = recordSentMessages(system);
  const traces = await leaveTraces('ada', 'gone', [5, 0, 0, 5], 'five zero zero five');
  const card = await untilShown('ada', /key\.set/u, () => discord.slash('ada', undefined, 'key', {}));
  const form = await press('ada', card, 'key.set');
  const fingerprint = getKeyFingerprint(API_KEY);
  await untilShown('ada', new RegExp(fingerprint, 'u'), () =>
    discord.submit('ada', form.id, { key: API_KEY }),
  );
  await done();
  // Encrypted: the table has its fingerprint, and neither the table nor a file has the key itself.
  const withKey = (await tableTexts(system)).filter((text) => text.includes(fingerprint));
  expect(withKey).toHaveLength(1);
  expect(await tracesOf([API_KEY])).toEqual([]);
  const all = [...traces.all, API_KEY, fingerprint];
  const files = storedFiles(harness.folder).filter(([, bytes]) => bytes.includes('canary-question-gone'));
  const waiting = [...sent];
  const headers = {
    authorization: `Bot ${discord.botToken}`,
    'user-agent': 'DiscordBot (https://example.org, 1)',
  };
  const left = await fetch(`${discord.apiUrl}/users/@me/guilds/${GUILD}`, { method: 'DELETE', headers });
  expect(left.status).toBe(204);
  const place = `#discord#${GUILD}#`;
  const isOfGuild = async (): Promise<boolean> => {
    const { Items = [] } = await dynamo.scan({ TableName: tableOf(system).table });
    return Items.some(({ pk }) => `#${pk?.S ?? ''}#`.includes(place));
  };
  while (await isOfGuild()) await done();
  await done();
  expect(await tracesOf(all)).toEqual([]);
  await redeliverNothing(waiting, 'ada', all);
  await harness.restart();
  // While it ran, its files had it: the search finds what is stored.
  expect(files.length).toBeGreaterThan(0);
  const any = storedFiles(harness.folder).filter(([, bytes]) => bytes.includes('canary-'));
  expect(any.map(([name]) => name)).toEqual([]);
});
