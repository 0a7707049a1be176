import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DiscordSimulator, startDiscordSimulator } from './discord/index.ts';
import { type SlackSimulator, startSlackSimulator } from './slack/index.ts';

let slack: SlackSimulator;
let discord: DiscordSimulator;
/** The URLs of one file of ten bytes: on each page, and where each platform serves it to the bot. */
const addresses: Record<string, string> = {};

const CONTENT = '0123456789';

beforeAll(async () => {
  slack = await startSlackSimulator();
  const file = { name: 'a.wav', content: Buffer.from(CONTENT) };
  await slack.say('ada', 'x', { files: [file] });
  const [slackId = ''] = slack.core.state.files.keys();
  addresses['Slack page'] = `${slack.url}/page/file/${slackId}`;
  addresses['Slack files'] = `${slack.filesUrl}/files-pri/${slack.teamId}-${slackId}/download/a.wav`;
  discord = await startDiscordSimulator();
  discord.say('ada', undefined, 'x', { files: [{ ...file, contentType: 'audio/wav' }] });
  const [discordId = ''] = discord.core.state.files.keys();
  addresses['Discord page'] = `${discord.url}/page/file/${discordId}`;
  const [message] = discord.core.messages();
  addresses['Discord files'] = /http[^"]+attachments[^"]+/u.exec(JSON.stringify(message))?.[0] ?? '';
});
afterAll(async () => {
  await slack.close();
  await discord.close();
});

async function ask(place: string, headers: Record<string, string>, method = 'GET') {
  const authorization = { authorization: `Bearer ${slack.botToken}` };
  const response = await fetch(addresses[place] ?? '', { method, headers: { ...authorization, ...headers } });
  return {
    status: response.status,
    text: await response.text(),
    header: (name: string) => response.headers.get(name),
  };
}

// RFC 9110, section 14.
describe.each(['Slack page', 'Slack files', 'Discord page', 'Discord files'])('%s', (place) => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=4-99', '456789', 'bytes 4-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    // A suffix longer than the file is the whole of it.
    ['bytes=-99', CONTENT, 'bytes 0-9/10'],
    ['bytes=9-9', '9', 'bytes 9-9/10'],
  ])('responds to %s with that part', async (range, part, contentRange) => {
    const { status, text, header } = await ask(place, { range });
    expect([status, text]).toEqual([206, part]);
    expect(header('content-range')).toBe(contentRange);
    expect(header('content-length')).toBe(String(part.length));
  });

  test.each(['bytes=10-', 'bytes=99-', 'bytes=-0', 'bytes=12-14'])(
    'refuses %s, which is outside the file',
    async (range) => {
      const { status, text, header } = await ask(place, { range });
      expect([status, text]).toEqual([416, '']);
      expect(header('content-range')).toBe('bytes */10');
    },
  );

  // The last: several parts at once, to which a server may respond with the whole file.
  test.each(['', 'bytes', 'bytes=', 'bytes=a-b', 'lines=0-3', 'bytes=3-1', 'bytes=0-1,5-6'])(
    'responds to %j, which requests no single part, with the whole file',
    async (range) => {
      const { status, text, header } = await ask(place, { range });
      expect([status, text]).toEqual([200, CONTENT]);
      expect(header('accept-ranges')).toBe('bytes');
      expect(header('content-length')).toBe('10');
    },
  );

  test('sends a part if If-Range names this file, and else the whole file', async () => {
    const tag = (await ask(place, {})).header('etag') ?? '';
    expect(tag).toMatch(/^"[^"]+"$/u);
    const range = 'bytes=0-3';
    expect(await ask(place, { range, 'if-range': tag })).toMatchObject({ status: 206, text: '0123' });
    for (const other of ['"another"', `W/${tag}`, 'Wed, 21 Oct 2015 07:28:00 GMT'])
      expect(await ask(place, { range, 'if-range': other })).toMatchObject({ status: 200, text: CONTENT });
  });

  test('responds to HEAD with the whole length and no content', async () => {
    const { status, text, header } = await ask(place, { range: 'bytes=0-3' }, 'HEAD');
    expect([status, text]).toEqual([200, '']);
    expect(header('content-length')).toBe('10');
  });
});
