/** A Discord bot on the Chat SDK, as its documentation builds one, with its state in memory. */
import { createDiscordAdapter } from '@chat-adapter/discord';
import { createMemoryState } from '@chat-adapter/state-memory';
import { Chat } from 'chat';
import OpenAI from 'openai';

const { UPSTREAM_URL, UPSTREAM_KEY, MODEL, DISCORD_API_URL } = process.env;
// The adapter reads DISCORD_API_URL for its own requests only, not for the discord.js client of its gateway.
const { DefaultRestOptions } = require('@discordjs/rest');
DefaultRestOptions.api = DISCORD_API_URL.replace(/\/v\d+$/, '');

const adapter = createDiscordAdapter();
const bot = new Chat({
  userName: 'parley',
  adapters: { discord: adapter },
  state: createMemoryState(),
  logger: 'error',
});
const openai = new OpenAI({ baseURL: `${UPSTREAM_URL}/v1`, apiKey: UPSTREAM_KEY });

async function* stream(messages) {
  const completion = await openai.chat.completions.create({ model: MODEL, messages, stream: true });
  for await (const part of completion) {
    const content = part.choices[0]?.delta?.content;
    if (content) yield content;
  }
}

bot.onNewMention(async (thread, message) => {
  await thread.post(stream([{ role: 'user', content: message.text }]));
});
await bot.initialize();
const A_DAY_MS = 86_400_000;
await adapter.startGatewayListener({ waitUntil: (task) => void task.catch(console.error) }, A_DAY_MS);
setTimeout(() => console.log('listening'), 3_000);
