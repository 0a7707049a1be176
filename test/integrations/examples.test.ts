import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { signWebhook } from '../../shared/integrations/index.ts';
import { apiHarness, KEY, readObject } from './api-harness.ts';

const verifierSchema = v.custom<
  (secret: string, headers: object, body: string, nowSeconds: number) => boolean
>((value) => typeof value === 'function');
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');

/** A request as curl would send it. Understands what the page uses. */
function parseCurl(command: string) {
  const url = new URL(/https:\/\/\S+/u.exec(command)?.[0] ?? '');
  const headers = Object.fromEntries(
    [...command.matchAll(/-H '([^:]+): ([^']*)'/gu)].map(([, name = '', value = '']) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const body = /-d '([^']*)'/u.exec(command)?.[1];
  return {
    path: url.pathname,
    query: url.search.slice(1),
    headers,
    body,
    method: body === undefined ? 'GET' : 'POST',
  };
}

const COMMANDS = [...PAGE.matchAll(/^curl[\s\S]*?(?=\n```)/gmu)].map(([command]) => command);

test('the page has an example of a question, of reading on and of a stream', () => {
  expect(COMMANDS).toHaveLength(3);
  for (const command of COMMANDS) expect(command).toContain(`Bearer ${KEY}`);
});

test('each example of a request is accepted', async () => {
  const at = await apiHarness();
  const [ask = '', read = '', stream = ''] = COMMANDS;
  const first = await at.send(parseCurl(ask));
  expect(first.status).toBe(200);
  const answer = readObject(first.text);
  // The response on the page has the fields of a real one.
  const [, shown = ''] = /```json\n([\s\S]*?)```/u.exec(PAGE) ?? [];
  expect(Object.keys(readObject(shown))).toEqual(Object.keys(answer));
  const again = parseCurl(read);
  const path = `/v1/ask/${String(answer['id'])}`;
  expect(readObject((await at.send({ ...again, path })).text)).toEqual(answer);
  const streamed = await at.send(parseCurl(stream));
  expect(streamed.headers['content-type']).toContain('text/event-stream');
  expect(streamed.text).toMatch(/^event: answer\.created\n[\s\S]*event: answer\.completed\n/u);
});

test('the example in Node verifies a webhook, and rejects another body and an old one', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/u.exec(PAGE) ?? [];
  const example: unknown = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { isFromBot } = v.parse(v.object({ isFromBot: verifierSchema }), example);
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const headers = signWebhook(secret, { id: 'msg_1', atSeconds: 1_000, body: '{}' });
  expect(isFromBot(secret, headers, '{}', 1_200)).toBe(true);
  expect(isFromBot(secret, headers, '{"a":1}', 1_200)).toBe(false);
  expect(isFromBot(secret, headers, '{}', 1_301)).toBe(false);
  expect(isFromBot(secret, {}, '{}', 1_200)).toBe(false);
  expect(isFromBot(secret, { ...headers, 'webhook-timestamp': 'now' }, '{}', 1_200)).toBe(false);
});
