import { expect, test } from '@jest/globals';
import { channelId, messageId, serializeTask, userId, workspaceId } from '../../shared/domain/index.ts';
import { unlimitedBudget } from '../../shared/billing/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { intakeWithin } from '../../shared/intake/within-worker.ts';
import type { AnswerActions } from '../../shared/platforms/ports/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { createMessageSearchTools, createSearchTools } from '../../shared/search/index.ts';
import { dispatchTask, type WorkerContext } from '../../shared/worker/index.ts';
import { endEvent, FakeReply, fakePlatform } from '../chat/completion-harness.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../commands/command-harness.ts';

const BY = { user: userId('U1'), workspace: workspaceId('T1'), roles: [], admin: true, locale: 'en' };
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;

/** A model that searches once if it may, and then writes `words`, cut off at first. */
function harness(words: string) {
  const published: (AnswerActions | undefined)[] = [];
  const offered: string[][] = [];
  let finish = 'length';
  const chat: WorkerContext['chat'] = {
    ...streamsOnly,
    model: 'm',
    modelFacts: () => Promise.resolve({ modelsWithImages: [], tools: true }),
    async *stream(messages, { tools = [] }) {
      const isSearched = messages.at(-1)?.role === 'tool';
      if (!isSearched) offered.push(tools.map(({ name }) => name));
      if (!isSearched && tools.length > 0) {
        const toolCalls = [{ id: 'c1', name: 'web_search', arguments: '{"query":"moss"}' }];
        yield endEvent('', { finish: 'tool_calls', toolCalls });
        return;
      }
      yield { type: 'text', text: words };
      yield endEvent(words, { finish });
      finish = 'stop';
    },
  };
  const at = commandHarness();
  const search = createSearchTools({
    service: 'brave',
    search: () =>
      Promise.resolve(
        ['one', 'two'].map((name) => ({
          title: `Page ${name}`,
          url: `https://example.com/${name}`,
          text: 'It is so.',
        })),
      ),
    atto: 0n,
    takePermit: () => Promise.resolve(true),
    budgets: unlimitedBudget,
    log: () => undefined,
    createId: () => 'id',
  });
  const reply = () =>
    Object.assign(new FakeReply(), {
      publish: (_: string, actions?: AnswerActions) => {
        published.push(actions);
        return Promise.resolve([messageId('1.15')]);
      },
    });
  const settings = { ...DEFAULTS, layers: { deployment: { values: { tools: ['search'] } } } };
  const context = {
    ...at.context,
    chat,
    settings,
    toolSources: [search],
    platform: { ...fakePlatform(), reply },
  };
  const run = (body: string) =>
    dispatchTask(body, context, { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false });
  const ask = async () => {
    const message = { thread: THREAD, id: messageId('1.1'), author: BY.user, authorWorkspace: BY.workspace };
    const question = { ...message, text: 'Why?', attachments: [], addressed: 'mention' as const };
    await acceptQuestion(question, intakeWithin(context));
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift()) await run(sent.body);
  };
  const task = {
    v: 1,
    thread: THREAD,
    message: messageId('1.1'),
    asker: BY.user,
    askerWorkspace: BY.workspace,
  };
  const change = (kind: 'continue' | 'regenerate') =>
    run(serializeTask({ ...task, v: 1, kind: 'redo', by: BY.user, key: `click-${kind}`, change: { kind } }));
  const why = async () => {
    const one = fakeInteraction(typedCommand('why'), { by: BY, thread: THREAD });
    await run(
      serializeTask({ ...task, v: 1, kind: 'invoked', message: messageId(one.id), interaction: one }),
    );
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const sources = () => published.at(-1)?.sources?.map(({ url }) => url);
  return { ask, change, why, sources, offered };
}

test('an answer lists the pages that it cites; Continue keeps them without a search; Regenerate makes another search', async () => {
  const { ask, change, sources, offered } = harness('It is so [2].');
  await ask();
  expect(sources()).toEqual(['https://example.com/two']);
  await change('continue');
  expect(sources()).toEqual(['https://example.com/two']);
  await change('regenerate');
  expect(sources()).toEqual(['https://example.com/two']);
  expect(offered).toEqual([['web_search'], [], ['web_search']]);
});

test('an answer that cites nothing lists nothing; why shows the query and all results', async () => {
  const { ask, why, sources } = harness('I do not know.');
  await ask();
  expect(sources()).toEqual([]);
  const card = await why();
  expect(card).toContain('search: web_search, ');
  expect(card).toContain('**Searches**\\n“moss”\\n- 1: Page one · example.com\\n- 2: Page two · example.com');
});

test('the token of an event reaches the search of its question, and none that is answered again', async () => {
  const at = commandHarness();
  const tokens: (string | undefined)[] = [];
  const platform = {
    ...fakePlatform(),
    reply: () => new FakeReply(),
    prepareMessageSearch: (_: unknown, token: string | undefined) => {
      tokens.push(token);
      return () => Promise.resolve([]);
    },
  };
  const layers = { deployment: { values: { tools: ['messages'] } } };
  const toolSources = [createMessageSearchTools({ platform, log: () => undefined })];
  const context = { ...at.context, platform, toolSources, settings: { ...DEFAULTS, layers } };
  const run = (body: string) =>
    dispatchTask(body, context, { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false });
  const message = { thread: THREAD, id: messageId('1.1'), author: BY.user, authorWorkspace: BY.workspace };
  const question = { ...message, text: 'Why?', attachments: [], addressed: 'mention' as const };
  await acceptQuestion({ ...question, searchToken: 'xat-1' }, intakeWithin(context));
  for (const { body } of at.queue.sent.splice(0)) await run(body);
  const again = { thread: THREAD, message: message.id, asker: BY.user, askerWorkspace: BY.workspace };
  const change = { kind: 'regenerate' as const };
  await run(serializeTask({ v: 1, kind: 'redo', round: 0, ...again, by: BY.user, key: 'click', change }));
  expect(tokens).toEqual(['xat-1', undefined]);
});
