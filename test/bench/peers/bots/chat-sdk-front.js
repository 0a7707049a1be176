/** The front of the Chat SDK bot alone, as a function: verifies, acknowledges, and starts the handler. */
import { createSlackAdapter } from '@chat-adapter/slack';
import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';

const bot = new Chat({
  userName: 'parley',
  adapters: { slack: createSlackAdapter() },
  state: createMemoryState(),
  logger: 'error',
});
bot.onNewMention(async () => undefined);

export const handler = async ({ headers, body }) => {
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body });
  const response = await bot.webhooks.slack(request, {
    waitUntil: (task) => void task.catch(() => undefined),
  });
  return { statusCode: response.status };
};
