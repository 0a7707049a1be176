/** A Slack bot on the Chat SDK, as its documentation builds one. */
import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { createSlackAdapter } from '@chat-adapter/slack';
import { Chat, toAiMessages } from 'chat';
import OpenAI from 'openai';

export function serve(state) {
  const { UPSTREAM_URL, UPSTREAM_KEY, MODEL, PORT } = process.env;
  // The adapter reads SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET and SLACK_API_URL itself.
  const bot = new Chat({
    userName: 'parley',
    adapters: { slack: createSlackAdapter() },
    state,
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

  // Its own history of a direct message cannot be read as that of a thread.
  bot.onDirectMessage(async (thread, message) => {
    await thread.post(stream([{ role: 'user', content: message.text }]));
  });
  bot.onNewMention(async (thread, message) => {
    await thread.subscribe();
    await thread.post(stream([{ role: 'user', content: message.text }]));
  });
  bot.onSubscribedMessage(async (thread) => {
    const { messages } = await thread.adapter.fetchMessages(thread.id, { limit: 20 });
    await thread.post(stream(await toAiMessages(messages)));
  });

  const server = createServer(async (incoming, outgoing) => {
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: 'POST',
      headers: incoming.headers,
      body: await readText(incoming),
    });
    const response = await bot.webhooks.slack(request, {
      waitUntil: (task) => void task.catch(console.error),
    });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
}
