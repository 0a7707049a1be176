import { afterEach, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { type SlackSimulator, type SlackSimulatorOptions, startSlackSimulator } from './server.ts';

let simulator: SlackSimulator;
afterEach(() => simulator.close());

const shape = v.object({ file: v.object({ url_private_download: v.string() }) });

/** The URL of a file, as in `files.info`. */
async function addressOf(filesRedirect: SlackSimulatorOptions['filesRedirect']): Promise<string> {
  simulator = await startSlackSimulator(filesRedirect ? { filesRedirect } : {});
  await simulator.say('ada', '@parley look', { files: [{ name: 'a b.txt', content: 'hello' }] });
  const [file] = simulator.core.state.files.keys();
  return v.parse(shape, simulator.core.call('files.info', { file }, simulator.botToken)).file
    .url_private_download;
}

async function get(url: string, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(url, { redirect: 'manual', headers });
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() };
}

test('there is one file host by default', async () => {
  expect((await get(await addressOf(undefined), simulator.botToken)).text).toBe('hello');
  expect(simulator.fileHosts).toEqual([new URL(simulator.url).host]);
});

test('in Enterprise Grid the second host requires the token again, and else shows the login page', async () => {
  const address = await addressOf('grid');
  const { status, to } = await get(address, simulator.botToken);
  expect(status).toBe(302);
  expect([new URL(address).host, new URL(to).host]).toEqual(simulator.fileHosts);
  expect((await get(to, simulator.botToken)).text).toBe('hello');
  for (const url of [address, to])
    expect(await get(url)).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') });
});

test('a presigned URL is valid for this file only, and for no request with a token', async () => {
  const { to } = await get(await addressOf('presigned'), simulator.botToken);
  expect((await get(to)).text).toBe('hello');
  expect((await get(to, simulator.botToken)).status).toBe(400);
  expect((await get(to.replace('a_b', 'other'))).status).toBe(400);
  expect((await get(new URL('/', to).href)).status).toBe(400);
});
