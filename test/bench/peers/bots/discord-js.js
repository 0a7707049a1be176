/** A Discord bot on discord.js, as its guide builds one: answers mentions, and edits its message as the answer grows. */
import { Client, Events, GatewayIntentBits } from 'discord.js';
import OpenAI from 'openai';

const EDIT_INTERVAL_MS = 1_000;
const { DISCORD_BOT_TOKEN, DISCORD_API_URL, UPSTREAM_URL, UPSTREAM_KEY, MODEL } = process.env;
const { Guilds, GuildMessages, MessageContent, DirectMessages } = GatewayIntentBits;
const client = new Client({
  intents: [Guilds, GuildMessages, MessageContent, DirectMessages],
  rest: DISCORD_API_URL === undefined ? {} : { api: DISCORD_API_URL },
});
const openai = new OpenAI({ baseURL: `${UPSTREAM_URL}/v1`, apiKey: UPSTREAM_KEY });

client.on(Events.MessageCreate, async (message) => {
  if (message.author.bot || !message.mentions.has(client.user)) return;
  const messages = [{ role: 'user', content: message.content }];
  const completion = await openai.chat.completions.create({ model: MODEL, messages, stream: true });
  let text = '';
  let reply;
  let editedAt = 0;
  for await (const part of completion) {
    text += part.choices[0]?.delta?.content ?? '';
    if (text === '' || Date.now() - editedAt < EDIT_INTERVAL_MS) continue;
    editedAt = Date.now();
    if (reply) await reply.edit(text.slice(0, 2_000));
    else reply = await message.reply(text.slice(0, 2_000));
  }
  await reply?.edit(text.slice(0, 2_000));
});

/** Whether the client is built: discord.js has no front for HTTP requests. */
export const handler = async () => ({ statusCode: client.isReady() ? 500 : 200 });
if (UPSTREAM_URL !== undefined) void client.login(DISCORD_BOT_TOKEN).then(() => console.log('listening'));
