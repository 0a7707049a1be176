import { afterEach, expect, test } from '@jest/globals';
import { start, stopAll } from '../discord/app-harness.ts';
import { FLAG } from '../discord/flags.ts';
import { GENERAL } from '../discord/identity.ts';
import { applyChange, channelsFor, commandsIn, createState, messagesFor } from './discord-state.js';

afterEach(stopAll);

test('the page is served with all its resources, and may load nothing else', async () => {
  const { simulator } = await start(() => 204);
  const values = new Set<string>();
  const visit = async (path: string): Promise<void> => {
    if (values.has(path)) return;
    values.add(path);
    const response = await fetch(`${simulator.url}${path}`);
    expect([path, response.status]).toEqual([path, 200]);
    expect(response.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'",
    );
    const content = await response.text();
    for (const [, value] of content.matchAll(/["'(](\/page\/[a-z-]+\.[a-z]+)["')]/g))
      await visit(value ?? '');
    for (const [, value] of content.matchAll(/from '\.\/([a-z-]+\.js)'/g)) await visit(`/page/${value}`);
  };
  await visit('/');
  expect(values.size).toBeGreaterThan(15);
  expect((await fetch(`${simulator.url}/page/../discord/server.ts`)).status).toBe(404);
});

test('the page lets a person write, send commands and click, but not from another site', async () => {
  const { simulator, app, core } = await start(() => ({
    type: 4,
    data: {
      content: 'hi',
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Go', custom_id: 'go' }] }],
    },
  }));
  const act = async (action: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${simulator.url}/page/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ user: 'ada', channel: GENERAL, ...body }),
    });
    return response.status;
  };
  const files = [{ name: 'a.png', contentType: 'image/png', content: 'eA==' }];
  expect(await act('say', { text: 'hi', files })).toBe(200);
  expect(await act('say', { text: 'hi' }, { origin: 'https://elsewhere.example' })).toBe(403);
  expect(await act('say', { text: '' })).toBe(400);
  expect(await act('slash', { name: 'ask', options: { question: 'why?' } })).toBe(200);
  const [message, answer] = [...(core.state.messages.get(GENERAL)?.values() ?? [])];
  expect(await act('press', { message: answer?.id, customId: 'go' })).toBe(200);
  expect(app.received.map(({ payload }) => payload['type'])).toEqual([2, 3]);
  const recordings = [{ spoken: 'We meet at ten.' }];
  expect(await act('say', { text: '', files: recordings })).toBe(200);
  const voice = [...(core.state.messages.get(GENERAL)?.values() ?? [])].at(-1);
  const recording = core.state.files.get(voice?.files[0] ?? '')?.file;
  expect([(voice?.flags ?? 0) & FLAG.voice, recording?.contentType]).toEqual([FLAG.voice, 'audio/ogg']);
  expect(recording?.durationSecs).toBeGreaterThan(1);
  expect(Buffer.from(recording?.waveform ?? '', 'base64').length).toBeGreaterThan(10);
  // As in Discord's own windows.
  expect(await act('say', { text: 'and words', files: recordings })).toBe(400);
  const picture = await fetch(`${simulator.url}/page/file/${message?.files[0]}`);
  expect(picture.headers.get('content-type')).toBe('image/png');
});

test('a message that is sent again with its nonce is not posted again', async () => {
  const { core } = await start(() => 204);
  const id = core.say('ada', 'hi', { nonce: '42' });
  expect(core.say('ada', 'hi', { nonce: '42' })).toBe(id);
  expect(core.say('grace', 'hi', { nonce: '42' })).not.toBe(id);
  expect(core.state.messages.get(GENERAL)?.size).toBe(2);
});

test('the page applies changes to what a person sees', async () => {
  const { core, simulator } = await start(() => ({ type: 4, data: { content: 'psst', flags: 64 } }));
  const page = createState();
  for (const change of core.changes()) applyChange(page, change);
  core.onChange((change) => applyChange(page, change));
  const id = core.say('ada', 'hi');
  core.thread('grace', id, 'Hi', 'hello');
  await simulator.slash('ada', GENERAL, 'ask', { question: 'x' });
  const textsFor = (user: string) =>
    messagesFor(page, GENERAL, core.userNamed(user).id).map(({ content }) => content);
  expect(textsFor('ada')).toEqual(['hi', 'psst']);
  expect(textsFor('grace')).toEqual(['hi']);
  expect(channelsFor(page, core.userNamed('lin').id).map(({ name }) => name)).toContain('Hi');
  const channel = core.state.channels.get(GENERAL);
  expect(commandsIn(page, channel, 1).map(({ name }) => name)).toEqual(['ask', 'settings']);
});
