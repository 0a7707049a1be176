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

test('the files of a message that the app deletes stay; those of a message that its author deletes go with it', async () => {
  const slack = await startSlackSimulator();
  try {
    const client = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });
    await client.filesUploadV2({ channel_id: slack.channel, file: Buffer.from('a'), filename: 'a.txt' });
    const theirs = await slack.say('ada', 'Here.', { files: [{ name: 'b.txt', content: 'b' }] });
    const { messages = [] } = await client.conversations.history({ channel: slack.channel });
    const own = messages.find(({ ts }) => ts !== theirs);
    await client.chat.delete({ channel: slack.channel, ts: own?.ts ?? '' });
    slack.core.remove(slack.users[0]?.id ?? '', slack.channel, theirs);
    const files = [...slack.core.state.files.values()].map(({ file }) => [file.name, file.deleted ?? false]);
    expect(files).toEqual([
      ['a.txt', false],
      ['b.txt', true],
    ]);
  } finally {
    await slack.close();
  }
});
