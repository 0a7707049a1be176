import { type Chat, createChat } from './chat/chat.ts';
import type { UpstreamConfig } from './config.ts';
import { createClient } from './http/client.ts';

export type Upstream = {
  readonly chat: Chat;
  /** Closes the connection pool. Calls under way fail. */
  readonly close: () => Promise<void>;
};

/**
 * A client of one upstream, with one pool of connections: make it once per process and keep it. Throws a TypeError when
 * an address is none.
 */
export function createUpstream(config: UpstreamConfig): Upstream {
  const client = createClient(config);
  return {
    chat: createChat(client, config.maxTokens),
    close: () => client.agent.destroy(),
  };
}
