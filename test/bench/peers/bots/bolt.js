/** A Slack bot on Bolt, as its documentation builds one: the history of each thread is in a Map. */
import bolt from '@slack/bolt';
import OpenAI from 'openai';

const { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL, UPSTREAM_URL, UPSTREAM_KEY, MODEL, PORT } =
  process.env;
const app = new bolt.App({
  token: SLACK_BOT_TOKEN,
  signingSecret: SLACK_SIGNING_SECRET,
  clientOptions: { slackApiUrl: SLACK_API_URL },
});
const openai = new OpenAI({ baseURL: `${UPSTREAM_URL}/v1`, apiKey: UPSTREAM_KEY });
const histories = new Map();

async function answer({ event, client, context }) {
  if (event.bot_id !== undefined || event.subtype !== undefined) return;
  const thread = event.thread_ts ?? event.ts;
  const messages = histories.get(thread) ?? [];
  histories.set(thread, messages);
  messages.push({ role: 'user', content: event.text });
  const completion = await openai.chat.completions.create({ model: MODEL, messages, stream: true });
  const streamer = client.chatStream({
    channel: event.channel,
    thread_ts: thread,
    recipient_team_id: context.teamId,
    recipient_user_id: event.user,
  });
  let text = '';
  for await (const part of completion) {
    const content = part.choices[0]?.delta?.content;
    if (!content) continue;
    text += content;
    await streamer.append({ markdown_text: content });
  }
  await streamer.stop();
  messages.push({ role: 'assistant', content: text });
}

app.event('app_mention', answer);
app.event('message', async (given) => {
  if (given.event.channel_type === 'im') await answer(given);
});
await app.start(Number(PORT));
console.log('listening');
