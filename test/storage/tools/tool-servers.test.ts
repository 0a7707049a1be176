import { expect, test } from '@jest/globals';
import { workspaceId } from '../../../shared/domain/index.ts';
import { ConditionFailedError, type ToolServer, ToolServerStore } from '../../../shared/storage/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';

const PLACE = { platform: 'slack', workspace: workspaceId('T1') } as const;
const TOOL = { description: '', parameters: {}, isReadOnly: true, isDestructive: false, use: 'off' } as const;
const serverOf = (name: string): ToolServer => ({
  name,
  url: 'https://mcp.example.com/',
  auth: 'none',
  tools: ['a', 'b'].map((tool) => ({ ...TOOL, name: tool })),
});
const turnOn =
  (name: string) =>
  (server: ToolServer): ToolServer => ({
    ...server,
    tools: server.tools.map((tool) => (tool.name === name ? { ...tool, use: 'run' } : tool)),
  });
const storeIn = (dynamo = createMemoryDynamo()) => new ToolServerStore({ dynamo, table: 'conversations' });

test('changes at the same time are all stored, and a server that was removed meanwhile is not stored again', async () => {
  const store = storeIn();
  await store.add(PLACE, serverOf('jira'));
  await Promise.all(['a', 'b'].map((tool) => store.change(PLACE, 'jira', turnOn(tool))));
  expect((await store.find(PLACE, 'jira'))?.tools.map(({ use }) => use)).toEqual(['run', 'run']);

  const removing: Promise<void>[] = [];
  await store.change(PLACE, 'jira', (server) => {
    removing.push(store.remove(PLACE, 'jira'));
    return turnOn('a')({ ...server, tools: [] });
  });
  await Promise.all(removing);
  expect(await store.list(PLACE)).toEqual([]);
});

test('a change that others are faster than each time is given up', async () => {
  const dynamo = createMemoryDynamo();
  const others = storeIn(dynamo);
  await others.add(PLACE, serverOf('jira'));
  let puts = 0;
  const put: typeof dynamo.put = async (input) => {
    puts += 1;
    await others.change(PLACE, 'jira', (server) => ({ ...server, url: `https://mcp.example.com/${puts}` }));
    return dynamo.put(input);
  };
  const change = storeIn({ ...dynamo, put }).change(PLACE, 'jira', turnOn('a'));
  await expect(change).rejects.toThrow(ConditionFailedError);
  expect(puts).toBe(5);
});

test('all servers are listed, also if they do not fit into one page of the table', async () => {
  const dynamo = createMemoryDynamo();
  const query: typeof dynamo.query = (input) => dynamo.query({ ...input, Limit: 2 });
  const store = storeIn({ ...dynamo, query });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await store.add(PLACE, serverOf(name));
  expect((await store.list(PLACE)).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
});
