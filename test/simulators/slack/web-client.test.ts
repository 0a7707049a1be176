import { expect, test } from '@jest/globals';
import { WebClient } from '@slack/web-api';
import { startSlackSimulator } from './server.ts';

test.each([false, true])(
  "Slack's own client uploads a file, with the token in the call (%s) or in the client alone",
  async (inCall) => {
    const slack = await startSlackSimulator();
    try {
      const { botToken: token, apiUrl: slackApiUrl, channel } = slack;
      const client = new WebClient(token, { slackApiUrl, retryConfig: { retries: 0 } });
      const thread = await slack.say('ada', 'hello');
      const sent = { filename: 'notes.txt', file: Buffer.from('xoxb- is how tokens begin') };
      const upload = { channel_id: channel, thread_ts: thread, ...sent };
      const { ok } = await client.filesUploadV2(inCall ? { ...upload, token } : upload);
      expect(ok).toBe(true);
      const [file] = [...slack.core.state.files.values()];
      expect(Buffer.from(file?.content ?? '', 'base64').toString()).toBe('xoxb- is how tokens begin');
      expect(slack.calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    } finally {
      await slack.close();
    }
  },
);
