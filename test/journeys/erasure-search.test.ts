import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { Message } from '../simulators/slack/index.ts';
import { leaveDocument } from './leave-document.ts';
import {
  askDuringAnswer,
  dynamoOf,
  expectNoTracesAfterRedelivery,
  expireItems,
  findTraces,
  recordSentMessages,
  rememberingCommands,
  storedFiles,
  tableTexts,
  API_KEY,
  LONG_TEXT_REPEATS,
  PICTURE,
  type SentMessage,
  VIDEOS,
} from './erasure-traces.ts';
import { tableOf } from './relay-harness.ts';
import { getKeyFingerprint } from '../../shared/aws/index.ts';
import { slackAudioClip } from './recordings.ts';
import {
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
  contentOf,
  ephemeralMessagesTo,
  userIdOf,
} from './harness.ts';

// For each kind of stored data, a text that occurs nowhere else. After each erasure, the whole system is searched for it.

/** Stored nowhere: an ephemeral question, and a question that was edited since. */
const NOT_STORED = /quoted|merged/u;

let folder: ReturnType<typeof dataFolder>;
let journey: JourneyHarness;
let dynamo: DynamoDB;

beforeEach(async () => {
  folder = dataFolder();
  journey = await startJourneyHarness(folder.path, { variables: VIDEOS });
  journey.upstream.control.change({ queueMs: 0, runMs: 100 });
  dynamo = dynamoOf(journey.system);
});
afterEach(async () => {
  dynamo.destroy();
  await journey.system.close();
  folder.remove();
});

const bot = () => `<@${journey.slack.botUserId}>`;
const idOf = (name: string) => userIdOf(journey.slack, name);
const toldTo = (name: string) => ephemeralMessagesTo(journey.slack, name);

/** Returns the ephemeral message with these words that this action shows to this person. */
async function notice(name: string, words: RegExp, act: () => Promise<unknown>): Promise<Message> {
  const before = new Set(toldTo(name).map(contentOf));
  await act();
  return journey.slack.core.until(() =>
    toldTo(name).findLast((one) => !before.has(contentOf(one)) && words.test(contentOf(one))),
  );
}

/** Asks a question and waits until it is answered and all queues are empty. */
async function askFor(name: string, question: string, more: object = {}): Promise<string> {
  const { slack } = journey;
  const ts = await slack.say(name, `${bot()} ${question} [[sim:tokens=8]]`, more);
  const thread = 'thread' in more && typeof more.thread === 'string' ? more.thread : ts;
  await slack.core.until(() => (botMessages(slack, thread).some((one) => one.ts > ts) ? true : undefined));
  await queuesAreEmpty(journey.system);
  return thread;
}

const tracesOf = (canaries: readonly string[]): Promise<string[]> =>
  findTraces(journey.system, folder.path, canaries);
const texts = (): Promise<string[]> => tableTexts(journey.system);

const redeliverNothing = (sent: readonly SentMessage[], name: string, canaries: readonly string[]) =>
  expectNoTracesAfterRedelivery(journey, folder.path, { sent, person: idOf(name), canaries });

const drafts = async () => (await texts()).filter((text) => text.includes('"#summary"'));

/** Fails unless the tables contain each text that is stored: only then does an empty search prove something. */
async function expectStored(canaries: readonly string[]): Promise<void> {
  const stored = await texts();
  const missing = canaries.filter((one) => !stored.some((text) => text.includes(one)));
  expect(missing.filter((one) => !NOT_STORED.test(one))).toEqual([]);
}

/** Waits for the open modal of a person. */
const form = (name: string) =>
  journey.slack.core.until(() =>
    [...journey.slack.core.state.views.values()].find(
      ({ kind, user }) => kind === 'modal' && user === idOf(name),
    ),
  );

/** A video of a person, a question about a message that quotes it, and a file that the model reads with a tool. */
async function leaveFeatureTraces(name: string, thread: string, of: (kind: string) => string): Promise<void> {
  const { slack, upstream } = journey;
  const picture = await slack.say(name, 'Look.', { thread, files: [PICTURE] });
  await slack.shortcut(name, 'animate-form', picture);
  await form(name);
  await slack.submit(name, { prompt: `${of('prompt')} rolls in.` });
  await slack.core.until(() =>
    botMessages(slack, thread).find((one) => contentOf(one).includes('A video was made')),
  );
  const quoted = await slack.say(name, `Mind ${of('quoted')}.`);
  await slack.shortcut(name, 'ask-about', quoted);
  await form(name);
  await notice(name, /practice model|quoted/u, () => slack.submit(name, { question: 'How so?' }));
  const content = `${of('result')} `.repeat(LONG_TEXT_REPEATS);
  const files = [{ name: 'long.txt', content }];
  await askFor(name, '[[sim:tool=read_file]] Read on in it.', { thread, files });
  const prompts = JSON.stringify(upstream.journal.map(({ body }) => body));
  expect(prompts).toContain(of('quoted'));
  expect(prompts.split('"role":"tool"').slice(1).join()).toContain(of('result'));
}

/** A modal filled in by the model, with text of the person, which nobody else sees yet. */
async function leaveDraft(name: string, of: (kind: string) => string): Promise<void> {
  const { slack } = journey;
  await slack.command('ada', '/parley schema save ticket');
  await form('ada');
  const properties = { title: { type: 'string' } };
  const text = JSON.stringify({ type: 'object', properties, required: ['title'] });
  await notice('ada', /schema:ticket/u, () => slack.submit('ada', { text }));
  const filled = await notice(name, /Only you see this/u, () =>
    slack.command(name, '/parley ask schema:ticket It is slow'),
  );
  await slack.press(name, filled.ts, 'Edit');
  await form(name);
  await notice(name, new RegExp(of('draft'), 'u'), () => slack.submit(name, { f0: `It is ${of('draft')}.` }));
}

/** A question that is merged into the turn of somebody else, and edited afterwards. */
async function leaveMerged(name: string, of: (kind: string) => string): Promise<void> {
  const { slack, upstream } = journey;
  // Earlier requests are large, and this is read again and again.
  const from = upstream.journal.length;
  const prompts = (): string[] => upstream.journal.slice(from).map(({ body }) => JSON.stringify(body));
  const isMerged = new RegExp(`10 . 11.*${of('merged')}`, 'u');
  let merged = '';
  // A question that a busy machine records more than 3 s after it was sent is not merged.
  for (let attempt = 0; attempt < 4 && !prompts().some((prompt) => isMerged.test(prompt)); attempt += 1)
    merged = await askDuringAnswer(journey, name, `And ${of('merged')}?`);
  expect(prompts().filter((prompt) => isMerged.test(prompt))).not.toEqual([]);
  slack.core.edit(idOf(name), slack.channel, merged, `And ${of('edited')}?`);
  await waitUntil(() => prompts().some((prompt) => prompt.includes(of('edited'))));
  await queuesAreEmpty(journey.system);
}

/** A text of each kind by one person: returns them, and their threads. */
async function leaveTraces(name: string, mark: string, digits: readonly number[], words: string) {
  const { slack } = journey;
  const of = (kind: string) => `canary-${kind}-${mark}`;
  const files = [{ name: 'notes.txt', content: `${of('file')} is what the file says.` }];
  const own = await askFor(name, `What about ${of('question')}?`, { files });
  await askFor(name, `[[sim:tools=1]] Look for "${of('tool')}"`, { thread: own });
  const recorded = await slack.say(name, '', { thread: own, files: [await slackAudioClip(digits)] });
  await slack.shortcut(name, 'transcribe', recorded);
  await slack.core.until(() => botMessages(slack, own).find((one) => contentOf(one).includes(`> ${words}`)));
  await queuesAreEmpty(journey.system);
  await leaveFeatureTraces(name, own, of);
  const [answer] = botMessages(slack, own);
  const why = await notice(name, /What was wrong with it/u, () =>
    slack.press(name, answer?.ts ?? '', 'Bad answer'),
  );
  await slack.press(name, why.ts, 'Tell what was wrong');
  await form(name);
  await notice(name, /can read it/u, () => slack.submit(name, { text: `It is ${of('feedback')}.` }));
  await notice(name, /./u, () => slack.command(name, `/parley persona save p-${mark} Be ${of('persona')}.`));
  for (const [who, command] of rememberingCommands(name, of('fact')))
    await notice(who, /emor|remember/u, () => slack.command(who, command));
  await leaveDraft(name, of);
  await leaveMerged(name, of);
  await leaveDocument(journey.slack, name, of('document'), { notice, form });
  const parts = ['question', 'file', 'tool', 'result', 'prompt', 'quoted', 'feedback', 'persona', 'fact'];
  const kinds = [...parts, 'draft', 'merged', 'edited', 'document'];
  return { canaries: kinds.map(of).concat(words), own };
}

test('an erased person leaves no data, also in what others wrote, and nothing is read again', async () => {
  const { slack, upstream, system } = journey;
  const sent = recordSentMessages(system);
  const { canaries } = await leaveTraces('grace', 'me', [7, 1, 9, 4], 'seven one nine four');
  const thread = await slack.say('ada', 'Where is the party?');
  await slack.say('grace', 'The party is at canary-said-me.', { thread });
  slack.core.allowHistoryReads();
  await askFor('ada', 'What do you think of it?', { thread });
  slack.core.allowHistoryReads();
  await notice('ada', /Based on/u, () => slack.shortcut('ada', 'summarise', thread));
  await queuesAreEmpty(journey.system);
  const all = [...canaries, 'canary-said-me', '"grace"'];
  await expectStored(all);
  expect(await drafts()).toHaveLength(1);

  const waiting = [...sent];
  const card = await notice('grace', /Everything about me/u, () =>
    slack.command('grace', '/parley forget me'),
  );
  await notice('grace', /Done: I have forgotten/u, () =>
    slack.press('grace', card.ts, 'Everything about me'),
  );
  await queuesAreEmpty(journey.system);
  expect(await tracesOf(all)).toEqual([]);
  expect(await drafts()).toEqual([]);
  await redeliverNothing(waiting, 'grace', all);

  const asks = upstream.journal.length;
  slack.core.allowHistoryReads();
  await askFor('ada', 'And where is it?', { thread });
  slack.core.allowHistoryReads();
  await notice('ada', /Based on|nothing/iu, () => slack.shortcut('ada', 'summarise', thread));
  await queuesAreEmpty(journey.system);
  expect(upstream.journal.length).toBeGreaterThan(asks);
  expect(JSON.stringify(upstream.journal.slice(asks))).not.toContain('canary-');
  expect(await tracesOf(all)).toEqual([]);
});

test('an erased thread leaves no data, including what was made from it', async () => {
  const { slack, system } = journey;
  const sent = recordSentMessages(system);
  const { canaries, own } = await leaveTraces('ada', 'thread', [8, 2, 8, 3], 'eight two eight three');
  const all = canaries.filter((one) => !/persona|quoted|draft|merged|edited|fact|document/u.test(one));
  slack.core.allowHistoryReads();
  await notice('grace', /Based on/u, () => slack.shortcut('grace', 'summarise', own));
  await queuesAreEmpty(journey.system);
  await expectStored(all);
  const waiting = [...sent];
  const card = await notice('ada', /The whole thread/u, async () => {
    await slack.shortcut('ada', 'more-actions', own);
    await slack.core.until(() =>
      [...slack.core.state.views.values()].find((one) => JSON.stringify(one.view).includes('forget')),
    );
    await slack.submit('ada', { action: 'forget' });
  });
  await notice('ada', /Done|forgotten/u, () => slack.press('ada', card.ts, 'The whole thread'));
  await queuesAreEmpty(journey.system);
  expect(await tracesOf(all)).toEqual([]);
  expect((await drafts()).filter((text) => text.includes(own))).toEqual([]);
  await redeliverNothing(waiting, 'ada', all);
});

test('data beyond the retention is gone after a restart, also from the files', async () => {
  const { slack } = journey;
  const { canaries } = await leaveTraces('ada', 'old', [6, 6, 1, 0], 'six six one zero');
  const all = canaries.filter((one) => !/persona|document/u.test(one));
  await notice('ada', /./u, () => slack.command('ada', '/parley settings retentionDays 1 for:workspace'));
  await queuesAreEmpty(journey.system);
  expect(await expireItems(dynamo, journey.system, all)).toBeGreaterThan(3);
  await journey.system.close();
  journey = await startJourneyHarness(folder.path, { variables: VIDEOS });
  dynamo.destroy();
  dynamo = dynamoOf(journey.system);
  expect(await tracesOf(all)).toEqual([]);
});

test('a workspace that removes the app leaves no data, and no file of the system contains its text', async () => {
  const { slack, system } = journey;
  const sent = recordSentMessages(system);
  const left = await leaveTraces('ada', 'gone', [5, 0, 0, 5], 'five zero zero five');
  const card = await notice('ada', /Set a key/u, () => slack.command('ada', '/parley key'));
  await slack.press('ada', card.ts, 'Set a key…');
  await form('ada');
  await notice('ada', new RegExp(getKeyFingerprint(API_KEY), 'u'), () =>
    slack.submit('ada', { key: API_KEY }),
  );
  await queuesAreEmpty(system);
  // Encrypted: only its fingerprint can be found.
  const fingerprint = getKeyFingerprint(API_KEY);
  const canaries = [...left.canaries, API_KEY, fingerprint];
  expect((await texts()).filter((text) => text.includes(fingerprint))).toHaveLength(1);
  expect(await tracesOf([API_KEY])).toEqual([]);
  const files = storedFiles(folder.path).filter(([, bytes]) => bytes.includes('canary-question-gone'));
  const waiting = [...sent];
  slack.core.uninstall('app_uninstalled');
  let count = 1;
  while (count > 0) {
    const { Items = [] } = await dynamo.scan({ TableName: tableOf(system).table });
    count = Items.filter(({ pk }) => `#${pk?.S ?? ''}#`.includes(`#slack#${slack.teamId}#`)).length;
  }
  await queuesAreEmpty(system);
  expect(await tracesOf(canaries)).toEqual([]);
  await redeliverNothing(waiting, 'ada', canaries);

  await system.close();
  // While it ran, its files had it: the search finds what is stored.
  expect(files.length).toBeGreaterThan(0);
  const any = storedFiles(folder.path).filter(([, bytes]) => bytes.includes('canary-'));
  expect(any.map(([name]) => name)).toEqual([]);
});
