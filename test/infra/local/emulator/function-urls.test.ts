import { afterEach, expect, test } from '@jest/globals';
import type { Server } from 'node:http';
import { type ApiTarget, createHttpApi } from '../../../../infra/local/emulator/http-api.ts';
import {
  LOAD_ERROR_TYPE,
  THROTTLE_ERROR_TYPE,
  TIMEOUT_ERROR_TYPE,
} from '../../../../infra/local/functions/functions.ts';
import { listen } from '../../../../infra/local/listen.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** Serves the function URL with this invocation. */
async function serve(invoke: ApiTarget['invoke']): Promise<string> {
  server = createHttpApi(() => ({ routes: [], page: null, functionUrl: 'Api', invoke }));
  return `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const HEAD = JSON.stringify({ statusCode: 201, headers: { 'content-type': 'text/event-stream' } });

test('a streamed response arrives part by part, with its head first, however the parts are cut', async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const url = await serve(async (id, event, onPart) => {
    expect([id, event]).toMatchObject(['Api', { rawPath: '/v1/ask', rawQueryString: 'stream=true' }]);
    onPart?.(bytes(HEAD.slice(0, 9)));
    onPart?.(bytes(`${HEAD.slice(9)}${'\0'.repeat(8)}one `));
    // The second part is written only when the client has the first one.
    await isRead;
    onPart?.(bytes('two'));
    return { kind: 'answer', payload: 'null' };
  });
  const response = await fetch(`${url}/v1/ask?stream=true`);
  expect([response.status, response.headers.get('content-type')]).toEqual([201, 'text/event-stream']);
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one ');
  read();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('two');
  expect((await reader?.read())?.done).toBe(true);
});

test.each([
  [THROTTLE_ERROR_TYPE, 429],
  [LOAD_ERROR_TYPE, 503],
  [TIMEOUT_ERROR_TYPE, 502],
  ['Error', 502],
])('an invocation that fails with %s is a %i', async (errorType, status) => {
  const url = await serve(async () => ({ kind: 'failed', errorType, message: 'no' }));
  expect((await fetch(`${url}/v1/ask`)).status).toBe(status);
});

test('a response that breaks off ends the connection', async () => {
  const url = await serve(async (_, __, onPart) => {
    onPart?.(bytes(`${HEAD}${'\0'.repeat(8)}one`));
    return { kind: 'failed', errorType: 'Runtime.ExitError', message: 'ended' };
  });
  await expect(fetch(`${url}/v1/ask`).then((response) => response.text())).rejects.toThrow('terminated');
});
