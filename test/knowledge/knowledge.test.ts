import { expect, test } from '@jest/globals';
import {
  type Attachment,
  type InteractionPayload,
  messageId,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import type { PdfText } from '../../shared/documents/index.ts';
import { createKnowledgeTools } from '../../shared/knowledge/index.ts';
import { MAX_PAGE_LENGTH } from '../../shared/mcp/protocol.ts';
import { isFromPerson, isInScope } from '../../shared/storage/privacy/erasure-scope.ts';
import { needsLargeWorker } from '../../shared/worker/needs-large-worker.ts';
import { toTaskContext } from '../../shared/worker/dispatch-task.ts';
import { ByteBudget } from '../../shared/runtime/byte-budget.ts';
import { toVisibleText } from '../../shared/utils/index.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { TestTime } from '../upstream/time.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { FakeReply, fakePlatform, TURN } from '../chat/completion-harness.ts';
import { ADA, ADMIN, GRACE, knowledgeHarness, MESSAGE } from './knowledge-harness.ts';

const NEVER = new AbortController().signal;

const pdf = async (): Promise<PdfText> => ({
  kind: 'text',
  text: 'Cover\fRefunds take five days.',
  pages: 2,
  of: 2,
});
const file = (id: string, name = `${id}.txt`): Attachment => ({
  id,
  name,
  mimetype: 'text/plain',
  bytes: 40,
});

test('off until an administrator turns it on: nobody can add anything, and the refusal says how', async () => {
  const { type, add, turnOn, collections } = knowledgeHarness();
  expect(await type('knowledge add https://wiki.example.com/leave')).toContain('tools on knowledge');
  expect(await add()).toContain('Knowledge is off for you here');
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(false);
  await turnOn();
  expect(await type('knowledge add https://wiki.example.com/leave')).toContain('“Handbook” is added');
});

test('a page is added, found with its link, listed, and removed by the person who added it', async () => {
  const { type, turnOn, search } = knowledgeHarness();
  await turnOn();
  await type('knowledge add <https://wiki.example.com/leave|wiki>');
  expect(await search('parental leave')).toMatchObject({
    content: '[1] Handbook\nParental leave is sixteen weeks.',
    summary: 'One result',
    search: { results: [{ number: 1, title: 'Handbook', url: 'https://wiki.example.com/leave' }] },
  });
  expect(await type('knowledge', GRACE)).toMatch(
    /\[Handbook\]\(https:\/\/wiki\.example\.com\/leave\).*1 passage/u,
  );
  expect(await type('knowledge remove handbook', GRACE)).toContain('Only the person it belongs to');
  expect(await type('knowledge remove handbook')).toContain('“Handbook” is removed');
  expect(await search('parental leave')).toBeUndefined();
});

test('a question is never offered the collection of another channel or workspace', async () => {
  const { type, turnOn, search } = knowledgeHarness();
  await turnOn();
  await type('knowledge add https://wiki.example.com/leave');
  expect(await search('parental leave', 'C2')).toBeUndefined();
  expect(await search('parental leave', 'C')).toBeUndefined();
});

test.each([
  ['', ''],
  [', also where the end is within an emoji', '👍'],
])(
  'a page with more text than is read is added with its beginning, and the person is told%s',
  async (_, end) => {
    const tools = toolServersIn(new TestTime());
    const request: typeof tools.request = async ({ kind }) =>
      kind === 'page'
        ? {
            kind,
            url: 'https://wiki.example.com/all',
            title: 'All',
            text: toVisibleText(TEXT, MAX_PAGE_LENGTH),
          }
        : { kind: 'failed', reason: 'unavailable', mayHaveRun: false };
    const sentence = 'The office opens at nine and closes at six on every working day of the year. ';
    const TEXT = `${sentence.repeat(6_000).slice(0, MAX_PAGE_LENGTH - 2)}${end || 'xx'}more`;
    const { type, turnOn } = knowledgeHarness({ toolServers: { ...tools, request } });
    await turnOn();
    expect(await type('knowledge add https://wiki.example.com/all')).toContain('is added in part');
  },
);

test('a message is added with its text, belongs to its author, and is gone with it', async () => {
  const { add, turnOn, search, collections, dispatch, type } = knowledgeHarness();
  await turnOn();
  expect(await add()).toContain('“The door code changes every Monday.” is added');
  const result = await search('door code');
  expect(result?.search?.results[0]?.url).toContain('1700000000.000200');
  const { ready } = await collections.list(MESSAGE.thread);
  expect(ready.map(({ by, kind }) => [by, kind])).toEqual([[GRACE, 'message']]);
  expect(await type('knowledge remove https://nowhere.example.com')).toContain('There is no document');
  await dispatch(
    JSON.stringify({
      v: 1,
      kind: 'erase',
      thread: MESSAGE.thread,
      message: MESSAGE.id,
      asker: 'none',
      askerWorkspace: 'T1',
      scope: { kind: 'message' },
    }),
  );
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(false);
});

test('a message of a person of another workspace is erased with that workspace, not with that of whoever added it', async () => {
  const { add, turnOn, dynamo } = knowledgeHarness();
  await turnOn();
  await add({ authorWorkspace: workspaceId('T2') });
  const items = dynamo.items('conversations').filter(({ pk }) => pk?.S?.startsWith('KNOWLEDGE#'));
  const inTeam = (team: string) =>
    items.filter((item) =>
      isInScope(item, { platform: 'slack', workspace: MESSAGE.thread.workspace, teams: [workspaceId(team)] }),
    );
  expect(inTeam('T2')).toEqual(items);
  expect(inTeam('T1')).toEqual([]);
  expect(items.every((item) => isFromPerson(item, GRACE))).toBe(true);
});

test('an answer belongs to whoever asked: it may repeat their words, so they remove it, and `forget me` erases it', async () => {
  const ask = { ...MESSAGE, id: messageId('1700000000.000150') };
  const reply = Object.assign(new FakeReply(), { publish: async () => [MESSAGE.id] });
  const { add, turnOn, dispatch, context, dynamo } = knowledgeHarness({
    platform: { ...fakePlatform(), reply: () => reply },
  });
  const { thread, id: message, author: asker, text: question, attachments } = ask;
  const turn = { thread, message, asker, askerWorkspace: workspaceId('T1') };
  await context.turns.accept(turn, '', []);
  await dispatch(JSON.stringify({ v: 1, kind: 'ask', ...turn, question, attachments, receivedAt: 1 }));
  await turnOn();
  await add({ author: userId('UBOT'), authorWorkspace: workspaceId('T2'), isBot: true }, ADA);
  const items = dynamo.items('conversations').filter(({ pk }) => pk?.S?.startsWith('KNOWLEDGE#'));
  expect(items.length).toBeGreaterThan(0);
  expect(items.every((item) => isFromPerson(item, GRACE) && item['ws']?.S === 'T1')).toBe(true);
});

test('another message of a bot belongs to whoever adds it: they remove it, and `forget me` erases it', async () => {
  const { add, turnOn, type, collections, dynamo } = knowledgeHarness();
  await turnOn();
  const answer = { author: userId('UBOT'), authorWorkspace: workspaceId('T2'), isBot: true };
  await add(answer, ADA);
  const items = dynamo.items('conversations').filter(({ pk }) => pk?.S?.startsWith('KNOWLEDGE#'));
  expect(items.every((item) => isFromPerson(item, ADA))).toBe(true);
  expect(await type('knowledge remove "The door code changes every Monday."', GRACE)).toContain(
    'Only the person it belongs to',
  );
  await type('knowledge remove "The door code changes every Monday."', ADA);
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(false);
});

test('from Slack’s modal, which knows only where the message is, its content is loaded', async () => {
  const { send, turnOn } = knowledgeHarness();
  await turnOn();
  const action = { name: 'more.run', args: [MESSAGE.thread.root, MESSAGE.id, GRACE] };
  const card = await send({ kind: 'form', action, values: { action: 'knowledge' } });
  expect(card).toContain('“The door code changes every Monday.” is added');
});

test('each file of a message is a document; one without text is refused by its name', async () => {
  const { add, turnOn, search } = knowledgeHarness({}, { F1: 'Refunds take five days.', F2: '' });
  await turnOn();
  const card = await add({ attachments: [file('F1'), file('F2')] });
  expect(card).toContain('“F1.txt” is added');
  expect(card).toMatch(/“F2\.txt” was not added.*it is empty/u);
  expect((await search('refunds'))?.content).toBe('[1] F1.txt\nRefunds take five days.');
});

test('a passage of a PDF is cited with its page, in the language of the person', async () => {
  const { add, turnOn, search } = knowledgeHarness({ pdf }, { F1: '%PDF-1.7' });
  await turnOn();
  await add({ attachments: [file('F1', 'rules.pdf')] });
  expect((await search('refunds'))?.search?.results[0]?.title).toBe('rules.pdf · p. 2');
  expect((await search('refunds', 'C1', 'de'))?.search?.results[0]).toMatchObject({
    title: 'rules.pdf · S. 2',
    number: 2,
  });
});

test('nothing was found: the model is told to say so', async () => {
  const { add, turnOn, search } = knowledgeHarness();
  await turnOn();
  await add();
  const result = await search('submarine');
  expect(result).toMatchObject({ summary: 'Nothing found', search: { results: [] } });
  expect(result?.content).toContain('Nothing was found');
});

test('a message that is deleted while it is added leaves nothing', async () => {
  const { add, turnOn, collections, deleteMessage } = knowledgeHarness();
  await turnOn();
  deleteMessage();
  expect(await add()).toContain('it may be deleted');
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(false);
});

test('only administrators remove all of a channel', async () => {
  const { add, turnOn, type, collections } = knowledgeHarness();
  await turnOn();
  await add();
  await type('knowledge remove all');
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(true);
  expect(await type('knowledge remove all', ADMIN)).toContain('All knowledge of this channel is removed');
  expect(await collections.hasDocuments(MESSAGE.thread)).toBe(false);
});

test('the menu of the list removes what the person may remove, and a forged choice does not', async () => {
  const { type, add, turnOn, send, collections } = knowledgeHarness();
  await turnOn();
  await type('knowledge add https://wiki.example.com/leave');
  await add();
  const [own, other] = ['U', 'M'];
  const idOf = async (first = '') =>
    (await collections.list(MESSAGE.thread)).ready.find(({ id }) => id.startsWith(first))?.id ?? '';
  const card = await type('knowledge');
  expect(card).toContain(await idOf(own));
  expect(card).not.toContain(await idOf(other));
  const choose = (id: string) =>
    send({ kind: 'action', action: { name: 'knowledge.remove', args: [] }, chosen: [id] });
  expect(await choose(await idOf(other))).toContain('Only the person it belongs to');
  expect(await choose(await idOf(own))).toContain('is removed');
});

test.each([
  ['knowledge add ftp://example.com/', 'not an https address'],
  ['knowledge add https://a:b@example.com/', 'not an https address'],
  ['knowledge add', 'Name what to add or remove'],
  ['knowledge remove', 'Name what to add or remove'],
])('%s is explained', async (text, sentence) => {
  const { type, turnOn } = knowledgeHarness();
  await turnOn();
  expect(await type(text)).toContain(sentence);
});

test('adding runs in the worker with memory for it; listing and removing do not', () => {
  const memory = new ByteBudget(Infinity);
  const needs = (payload: InteractionPayload) => {
    const { thread } = MESSAGE;
    const place = {
      v: 1 as const,
      thread,
      message: thread.root,
      asker: ADA,
      askerWorkspace: thread.workspace,
    };
    return needsLargeWorker({ ...place, kind: 'invoked', interaction: fakeInteraction(payload) }, memory);
  };
  const options = { do: 'add', what: 'https://a.example/' };
  expect(needs(typedCommand('knowledge add https://a.example/'))).toBe(true);
  expect(needs({ kind: 'command', name: 'knowledge', options, attachments: [] })).toBe(true);
  expect(needs({ kind: 'on-message', name: 'knowledge', message: MESSAGE })).toBe(true);
  expect(
    needs({ kind: 'form', action: { name: 'more.run', args: [] }, values: { action: 'knowledge' } }),
  ).toBe(true);
  expect(needs(typedCommand('knowledge remove all'))).toBe(false);
  expect(needs(typedCommand('tools add https://a.example/'))).toBe(false);
  expect(needs({ kind: 'on-message', name: 'summarise', message: MESSAGE })).toBe(false);
});

test('the tool is offered where the channel has a collection and it is on for the asker, and refuses a fifth search', async () => {
  const { turnOn, add, context, collections } = knowledgeHarness();
  await turnOn();
  const ask = async (asker = ADA) => {
    const { withSettings, getTurnSettingsPlace } = await import('../../shared/settings/index.ts');
    const turn = { ...TURN, thread: MESSAGE.thread, asker };
    const sources = { ...context, toolSources: [createKnowledgeTools({ collections })] };
    const here = await withSettings(getTurnSettingsPlace(turn), toTaskContext(sources));
    const question = { turn, pictures: [], rootIsOurs: true, numbering: { last: 0 } };
    return toTaskContext({ ...sources, settings: here.settings }).featureTools(question, here.settings);
  };
  const names = async () => (await ask()).map(({ definition }) => definition.name);
  expect(await names()).not.toContain('search_knowledge');
  await add();
  expect(await names()).toContain('search_knowledge');
  const tool = (await ask()).find(({ definition }) => definition.name === 'search_knowledge');
  const search = () => tool?.prepare({ query: 'door' }, 'en').run(NEVER);
  for (let i = 0; i < 4; i += 1) await search();
  await expect(search()).rejects.toMatchObject({ name: 'ToolError' });
  expect(() => tool?.prepare({ query: ' ' }, 'en')).toThrow('“query” has to be');
});
