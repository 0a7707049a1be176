import { afterEach, describe, expect, test } from '@jest/globals';
import { WebClient } from '@slack/web-api';
import * as v from 'valibot';
import { DEFAULT_IDENTITY } from './identity.ts';
import { ADA, GRACE, inner, setUp } from './harness.ts';
import { type SlackSimulator, type SlackSimulatorOptions, startSlackSimulator } from './server.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  const simulator = await startSlackSimulator(options);
  closing.push(() => simulator.close());
  return simulator;
}

const fileShape = v.looseObject({
  id: v.string(),
  url_private_download: v.string(),
  url_private: v.string(),
});
const messagesShape = v.object({ messages: v.array(v.object({ files: v.array(fileShape) })) });

/** A message with one file in `general`, and the file as the history shows it. */
async function withFile(
  options: SlackSimulatorOptions = {},
  upload = { name: 'Röntgen 1.txt', content: 'héllo' },
) {
  const simulator = await start(options);
  const ts = await simulator.say('ada', '@parley look', { files: [upload] });
  const [file] = v
    .parse(
      messagesShape,
      simulator.core.call('conversations.replies', { channel: simulator.channel, ts }, simulator.botToken),
    )
    .messages.flatMap((message) => message.files);
  if (!file) throw new Error('no file');
  const fetchIt = (token: string | undefined, url = file.url_private_download): Promise<Response> =>
    fetch(url, {
      redirect: 'manual',
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
  return { simulator, ts, file, fetchIt };
}

const isLogin = async (response: Response): Promise<boolean> =>
  response.status === 200 &&
  response.headers.get('content-type') === 'text/html; charset=utf-8' &&
  (await response.text()).includes('Sign in');

describe('a file on a message', () => {
  test('arrives as file_share without a team', () => {
    const { workspace, events, channel } = setUp();
    const content = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
    const ts = workspace.say(ADA, '@parley look', { files: [{ name: 'Chart.PNG', content }] });
    const [mention, message] = events.map(inner);
    expect(mention).toMatchObject({ type: 'app_mention', text: '<@U0PARLEY00> look', ts });
    for (const field of ['subtype', 'files', 'upload', 'display_as_bot'])
      expect(mention).not.toHaveProperty(field);
    expect(message).toMatchObject({
      type: 'message',
      subtype: 'file_share',
      user: ADA,
      ts,
      channel,
      channel_type: 'channel',
      upload: false,
      files: [
        {
          id: expect.stringMatching(/^F[0-9A-Z]{11}$/),
          name: 'Chart.PNG',
          title: 'Chart.PNG',
          mimetype: 'image/png',
          filetype: 'png',
          pretty_type: 'PNG',
          user: ADA,
          size: 4,
          mode: 'hosted',
          is_external: false,
          url_private: expect.stringMatching(
            /^https:\/\/files\.slack\.com\/files-pri\/T0PARLEY00-F\w+\/chart\.png$/,
          ),
          url_private_download: expect.stringMatching(/\/files-pri\/T0PARLEY00-F\w+\/download\/chart\.png$/),
        },
      ],
    });
    expect(message).not.toHaveProperty('team');
  });

  test('may be in the mention too', () => {
    const { workspace, events } = setUp({ mentionHasFiles: () => true });
    workspace.say(ADA, '@parley look', { files: [{ name: 'a.txt', content: 'x' }] });
    expect(inner(events[0])).toMatchObject({
      type: 'app_mention',
      files: [{ name: 'a.txt' }],
      upload: false,
    });
  });

  test('may come without text, and a clip without a media type', () => {
    const { workspace, events } = setUp();
    const clip = { kind: 'slack_audio', durationMs: 4_200 } as const;
    workspace.say(ADA, '', { files: [{ name: 'audio_message.m4a', content: 'x', mimetype: '', clip }] });
    expect(events).toHaveLength(1);
    expect(inner(events[0])).toMatchObject({
      subtype: 'file_share',
      text: '',
      files: [
        {
          mimetype: '',
          filetype: '',
          subtype: 'slack_audio',
          duration_ms: 4_200,
          media_display_type: 'audio',
        },
      ],
    });
    expect(inner(events[0])).not.toHaveProperty('blocks');
  });

  test('from another organization has only an id until files.info is requested', () => {
    const identity = {
      users: [
        ...DEFAULT_IDENTITY.users,
        { id: 'U0EVE00000', name: 'eve', realName: 'Eve', teamId: 'T0OTHER000' },
      ],
    };
    const members = [ADA, 'U0EVE00000', DEFAULT_IDENTITY.botUserId];
    const shared = {
      id: 'C0SHARED00',
      name: 'shared',
      kind: 'channel',
      members,
      connected: ['T0OTHER000'],
    } as const;
    const { workspace, events, call } = setUp({
      identity,
      channels: [{ ...shared, members, connected: ['T0OTHER000'] }],
    });
    workspace.say('U0EVE00000', 'look', { channel: 'shared', files: [{ name: 'a.txt', content: 'x' }] });
    const [file] = [inner(events[0])['files']].flat();
    expect(file).toMatchObject({ mode: 'file_access', file_access: 'check_file_info' });
    expect(file).not.toHaveProperty('url_private');
    const id = v.parse(v.object({ id: v.string() }), file).id;
    expect(call('files.info', { file: id })).toMatchObject({
      file: { name: 'a.txt', mode: 'hosted', size: 1 },
    });
  });

  test('is deleted with its message', async () => {
    const { simulator, ts, file, fetchIt } = await withFile();
    simulator.core.remove(ADA, simulator.channel, ts);
    const web = new WebClient(simulator.botToken, {
      slackApiUrl: simulator.apiUrl,
      retryConfig: { retries: 0 },
    });
    await expect(web.files.info({ file: file.id })).rejects.toMatchObject({
      data: { error: 'file_deleted' },
    });
    await expect(web.files.info({ file: 'F0' })).rejects.toMatchObject({ data: { error: 'file_not_found' } });
    expect((await fetchIt(simulator.botToken)).status).toBe(404);
  });
});

describe('the file host', () => {
  test('serves the file to the bot token only', async () => {
    const { simulator, file, fetchIt } = await withFile();
    expect(new URL(file.url_private).origin).toBe(simulator.filesUrl);
    for (const url of [file.url_private, file.url_private_download]) {
      const response = await fetchIt(simulator.botToken, url);
      expect(response.headers.get('content-type')).toBe('text/plain');
      expect(await response.text()).toBe('héllo');
    }
    expect(await isLogin(await fetchIt(undefined))).toBe(true);
    expect(await isLogin(await fetchIt('xoxb-wrong'))).toBe(true);
    expect(simulator.calls.map(({ method, args, outcome }) => [method, args['file'], outcome])).toEqual([
      ['files.download', file.id, 'ok'],
      ['files.download', file.id, 'ok'],
      ['files.download', file.id, 'login'],
      ['files.download', file.id, 'login'],
    ]);
  });

  test('serves its login page to an app without files:read, and files.info names the missing scope', async () => {
    const scopes = DEFAULT_IDENTITY.scopes.filter((scope) => scope !== 'files:read');
    const { simulator, file, fetchIt } = await withFile({ identity: { scopes } });
    expect(await isLogin(await fetchIt(simulator.botToken))).toBe(true);
    const response = simulator.core.call('files.info', { file: file.id }, simulator.botToken);
    expect(response).toMatchObject({ error: 'missing_scope', needed: 'files:read' });
  });

  test('serves no file of a channel without the bot', async () => {
    const members = [ADA, GRACE];
    const simulator = await start({
      channels: [{ id: 'C0CLOSED00', name: 'closed', kind: 'group', members }],
    });
    await simulator.say('ada', 'x', { channel: 'closed', files: [{ name: 'a.txt', content: 'x' }] });
    const [id = ''] = simulator.core.state.files.keys();
    expect(simulator.core.download(id, simulator.botToken)).toEqual({ kind: 'login' });
    expect(simulator.core.call('files.info', { file: id }, simulator.botToken)).toMatchObject({
      error: 'file_not_found',
    });
  });

  test('fails as configured: redirect, broken connection, server error', async () => {
    const { simulator, fetchIt } = await withFile();
    const { faults, botToken } = simulator;
    faults.add({ method: 'files.download', kind: 'redirect', to: 'https://elsewhere.example/' });
    const moved = await fetchIt(botToken);
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'https://elsewhere.example/']);
    faults.add({ method: 'files.download', kind: 'status', status: 503 });
    expect((await fetchIt(botToken)).status).toBe(503);
    faults.add({ method: 'files.download', kind: 'cut' });
    await expect(fetchIt(botToken)).rejects.toThrow('fetch failed');
    faults.add({ method: 'files.download', kind: 'lose-reply' });
    const half = await fetchIt(botToken);
    await expect(half.text()).rejects.toThrow('terminated');
    expect(await (await fetchIt(botToken)).text()).toBe('héllo');
  });
});

describe('on the page', () => {
  test('a person sends files and sees pictures; other types are never shown as pictures', async () => {
    const simulator = await start();
    const { url, channel, core } = simulator;
    const content = Buffer.from('<script>alert(1)</script>').toString('base64');
    const files = [
      { name: 'a.html', content },
      { name: 'b.png', content },
    ];
    const body = JSON.stringify({ user: ADA, channel, text: '', files });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/page/say`, { method: 'POST', headers, body });
    expect(reply.status).toBe(200);
    const [html, png] = await Promise.all(
      [...core.state.files.keys()].map((id) => fetch(`${url}/page/file/${id}`)),
    );
    expect(html?.headers.get('content-type')).toBe('application/octet-stream');
    expect(html?.headers.get('content-disposition')).toContain('attachment');
    expect(png?.headers.get('content-type')).toBe('image/png');
    for (const response of [html, png]) {
      expect(response?.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response?.headers.get('content-security-policy')).toContain('sandbox');
    }
    expect((await fetch(`${url}/page/file/F0`)).status).toBe(404);
    const empty = JSON.stringify({ user: ADA, channel, text: ' ' });
    expect((await fetch(`${url}/page/say`, { method: 'POST', headers, body: empty })).status).toBe(400);
  });
});
