import { expect, test } from '@jest/globals';
import type { ChatTool, ToolSource } from '../../shared/ports/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { loadEnabledTools, type ToolsContext } from '../../shared/tools/index.ts';
import { BARE } from '../fakes/bare-context.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { TURN } from '../chat/completion-harness.ts';
import { TestTime } from '../upstream/time.ts';

const tool = (from: string, name: string): ChatTool => ({
  source: from,
  definition: { name },
  prepare: () => ({
    title: name,
    status: ['answers.status.searching'],
    run: () => Promise.resolve({ content: from, summary: '' }),
  }),
});

function source(own: readonly string[], load: ToolSource['load']): ToolSource {
  return { names: own, load };
}

function contextWith(tools: readonly string[], toolSources: readonly ToolSource[]) {
  const events: string[] = [];
  const context: ToolsContext = {
    ...BARE,
    messenger: new FakeMessenger(),
    settings: { ...DEFAULTS, layers: { workspace: { values: { tools } } } },
    memberRoles: () => Promise.reject(new Error('no roles')),
    toolSources,
    time: new TestTime(),
    log: (event) => events.push(event),
  };
  return { context, events };
}

const QUESTION = { turn: TURN, pictures: [], rootIsOurs: true, numbering: { last: 0 } };
const namesOf = (tools: readonly ChatTool[]) => tools.map((one) => `${one.source}.${one.definition.name}`);

test('a source loads those of its names that are on, and is not asked if none is', async () => {
  const calls: (readonly string[])[] = [];
  const load: ToolSource['load'] = (names) => {
    calls.push(names);
    return Promise.resolve(names.map((name) => tool(name, `${name}_find`)));
  };
  const { context } = contextWith(
    ['wiki', 'jira'],
    [source(['search'], load), source(['jira', 'wiki'], load)],
  );
  expect(namesOf(await loadEnabledTools(QUESTION, context))).toEqual(['wiki.wiki_find', 'jira.jira_find']);
  expect(calls).toEqual([['wiki', 'jira']]);
});

test('a source that fails costs only its own tools', async () => {
  const { context, events } = contextWith(
    ['a', 'b'],
    [
      source(['a'], () => Promise.reject(new Error('down'))),
      source(['b'], () => Promise.resolve([tool('b', 'find')])),
    ],
  );
  expect(namesOf(await loadEnabledTools(QUESTION, context))).toEqual(['b.find']);
  expect(events).toEqual(['tools.source-failed']);
});

test('a name belongs to the first tool that has it', async () => {
  const { context } = contextWith(
    ['a', 'b'],
    ['a', 'b'].map((name) => source([name], () => Promise.resolve([tool(name, 'find')]))),
  );
  expect(namesOf(await loadEnabledTools(QUESTION, context))).toEqual(['a.find']);
});

test('at most 64 tools are offered', async () => {
  const many = Array.from({ length: 90 }, (_, i) => tool('a', `t${i}`));
  const { context } = contextWith(['a'], [source(['a'], () => Promise.resolve(many))]);
  expect(await loadEnabledTools(QUESTION, context)).toHaveLength(64);
});

test('without the roles that an entry needs, the question is answered without tools', async () => {
  const { context, events } = contextWith(
    ['a@S7'],
    [source(['a'], () => Promise.resolve([tool('a', 'find')]))],
  );
  expect(await loadEnabledTools(QUESTION, context)).toEqual([]);
  expect(events).toEqual(['tools.roles-unavailable']);
});
