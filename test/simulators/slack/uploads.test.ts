import { expect, test } from '@jest/globals';
import { WebClient } from '@slack/web-api';
import { startSlackSimulator } from './server.ts';

test("Slack's own client uploads a file into a thread, with its own form and token", async () => {
  const slack = await startSlackSimulator();
  try {
    const root = await slack.say('ada', 'Here?');
    const client = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
    await client.filesUploadV2({
      channel_id: slack.channel,
      thread_ts: root,
      file: Buffer.from('héllo'),
      filename: 'a.txt',
      initial_comment: 'There.',
    });
    const { messages = [] } = await client.conversations.replies({ channel: slack.channel, ts: root });
    expect(messages.at(-1)).toMatchObject({ text: 'There.', files: [{ name: 'a.txt', size: 6 }] });
    expect(slack.calls.find(({ method }) => method === 'files.upload')).toMatchObject({
      args: { token: true },
      outcome: 'ok',
    });
  } finally {
    await slack.close();
  }
});
