import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { listen } from '../../../../infra/local/listen.ts';
import { startSocketMode } from '../../../../infra/local/services/socket-mode.ts';
import { type SlackSimulator, startSlackSimulator } from '../../../simulators/slack/server.ts';

const APP_TOKEN = 'xapp-1-A0PARLEY00-1-a';

/** The texts of the messages that the front got. */
const received: string[] = [];
let arrived = Promise.withResolvers<void>();
const front = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    received.push(body);
    arrived.resolve();
    response.writeHead(200).end();
  });
});

let slack: SlackSimulator;
let socket: Awaited<ReturnType<typeof startSocketMode>>;
beforeAll(async () => {
  const eventsUrl = `http://127.0.0.1:${await listen(front, '127.0.0.1', 0)}/slack/events`;
  slack = await startSlackSimulator({
    app: { appTokens: { [APP_TOKEN]: ['connections:write'] } },
    identity: { subscriptions: ['message.channels'] },
  });
  socket = await startSocketMode({
    appToken: APP_TOKEN,
    apiUrl: slack.apiUrl,
    eventsUrl,
    signingSecret: slack.signingSecret,
    reached: true,
    now: Date.now,
    note: () => undefined,
  });
});
afterAll(async () => {
  await socket.close();
  await slack.close();
  front.close();
  front.closeAllConnections();
});

/** How often the front got this message, once it has. */
async function countOf(text: string): Promise<number> {
  for (;;) {
    const count = received.filter((body) => body.includes(text)).length;
    if (count > 0) return count;
    await arrived.promise;
    arrived = Promise.withResolvers();
  }
}

test('when Slack refreshes the socket, it is opened again, and no event is lost', async () => {
  await slack.say('ada', 'before the refresh');
  expect(await countOf('before the refresh')).toBe(1);
  slack.refreshSockets();
  await slack.say('ada', 'after the refresh');
  expect(await countOf('after the refresh')).toBe(1);
  await slack.delivery.idle();
  expect(slack.calls.filter(({ method }) => method === 'apps.connections.open')).toHaveLength(2);
});
