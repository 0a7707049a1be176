import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { DiscordRateLimitError } from '../../shared/platforms/discord/api/call.ts';
import { createRestCall } from '../../shared/platforms/discord/api/rest-client.ts';
import { SlackRateLimitError } from '../../shared/platforms/slack/api/call.ts';
import { createWebCall } from '../../shared/platforms/slack/index.ts';

/** Responds to everything with 429, or with another error. */
let status = 429;
const server = createServer((_, response) => {
  response.writeHead(status, {
    'retry-after': '3',
    'x-ratelimit-scope': 'user',
    'content-type': 'application/json',
  });
  response.end('{"retry_after":3}');
});
let at = '';
let reports = 0;
const onLimited = (): void => {
  reports += 1;
};

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  at = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/api/`;
});
beforeEach(() => {
  reports = 0;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const token = async (): Promise<string> => 'token';
const discord = () => {
  const config = { apiUrl: at, applicationId: '900', token, now: () => 0, random: () => 0, onLimited };
  return createRestCall(config)({ method: 'GET', path: '/x' });
};
const slack = () => createWebCall({ slackApiUrl: at, token: async () => 'xoxb', onLimited })('auth.test', {});

test('each 429 of Discord and Slack is reported once', async () => {
  status = 429;
  await expect(discord()).rejects.toBeInstanceOf(DiscordRateLimitError);
  expect(reports).toBe(1);
  await expect(slack()).rejects.toBeInstanceOf(SlackRateLimitError);
  expect(reports).toBe(2);
});

test('other failures are not reported as rate limits', async () => {
  status = 500;
  await expect(discord()).rejects.toThrow(/status 500/u);
  await expect(slack()).rejects.toThrow(/status 500/u);
  expect(reports).toBe(0);
});
