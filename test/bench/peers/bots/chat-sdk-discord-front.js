/** The front of a Discord bot on the Chat SDK alone, as a function: verifies and acknowledges interactions. */
import { createDiscordAdapter } from '@chat-adapter/discord';
import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';

const bot = new Chat({
  userName: 'parley',
  adapters: { discord: createDiscordAdapter() },
  state: createMemoryState(),
  logger: 'error',
});
bot.onNewMention(async () => undefined);

export const handler = async ({ headers, body }) => {
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body });
  const response = await bot.webhooks.discord(request, {
    waitUntil: (task) => void task.catch(() => undefined),
  });
  return { statusCode: response.status };
};
