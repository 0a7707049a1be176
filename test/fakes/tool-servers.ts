import type { Time } from '../../shared/runtime/index.ts';
import { ProposedCalls, ToolCredentials, ToolServerStore } from '../../shared/storage/index.ts';
import type { ToolsContext } from '../../shared/tools/index.ts';
import { createMemoryDynamo } from './dynamo.ts';
import { plainEncryptor } from './plain-encryptor.ts';

const FIND = {
  name: 'find',
  description: 'Finds',
  parameters: { type: 'object' },
  isReadOnly: true,
  isDestructive: false,
};

/** MCP servers in a table of their own. Each has one tool, `find`, and a page for sign-ins. */
export function toolServersIn({ now }: Pick<Time, 'now'>): ToolsContext['toolServers'] {
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now };
  return {
    servers: new ToolServerStore(store),
    credentials: new ToolCredentials({ ...store, encryptor: plainEncryptor }),
    calls: new ProposedCalls(store),
    request: async (request) => {
      const { kind } = request;
      if (kind === 'page')
        return { kind, url: request.url, title: 'Handbook', text: 'Parental leave is sixteen weeks.' };
      if (kind === 'list') return { kind: 'listed', tools: [FIND] };
      return kind === 'authorize'
        ? { kind: 'authorizing', authorizationUrl: 'https://login.example.com/', session: '{}' }
        : { kind: 'called', text: 'It is here.', isError: false };
    },
    redirectUrl: 'https://bot.example.com/tools/oauth',
  };
}
