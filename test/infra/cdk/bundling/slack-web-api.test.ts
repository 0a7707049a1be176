import { expect, test } from '@jest/globals';
import { NoWebClientError, WebClient } from '../../../../infra/cdk/bundling/slack-web-api.ts';

const client = WebClient();
const use = (): void => void Reflect.get(client, 'chat');

test('the client in the bundle of the Slack front names the method that a listener used', () => {
  expect(use).toThrow(NoWebClientError);
  expect(use).toThrow('(chat)');
});

test('the client in the bundle of the Slack front can be awaited', async () => {
  const awaited = await Promise.resolve(client);
  expect(Object.is(awaited, client)).toBe(true);
});
