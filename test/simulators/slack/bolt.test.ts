import { expect, test } from '@jest/globals';
import bolt from '@slack/bolt';
import type { AddressInfo } from 'node:net';
import { startSlackSimulator } from './server.ts';

test('a Bolt app works with the simulator: events, clicks and its own requests', async () => {
  const simulator = await startSlackSimulator();
  const { signingSecret, botToken, apiUrl } = simulator;
  const clientOptions = { slackApiUrl: apiUrl, retryConfig: { retries: 0 } };
  const app = new bolt.App({
    signingSecret,
    token: botToken,
    clientOptions,
    logLevel: bolt.LogLevel.ERROR,
  });
  app.event('app_mention', async ({ event, say }) => {
    await say({
      thread_ts: event.ts,
      text: `You said: ${event.text}`,
      blocks: [
        {
          type: 'actions',
          elements: [
            { type: 'button', action_id: 'more', text: { type: 'plain_text', text: 'More' }, value: '1' },
          ],
        },
      ],
    });
  });
  app.action('more', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'And more.', replace_original: false, response_type: 'in_channel' });
  });
  const server = await app.start(0);
  try {
    const address: unknown = server.address();
    simulator.setDeliverTo(`http://127.0.0.1:${portOf(address)}/slack/events`);
    const ts = await simulator.say('ada', `<@${simulator.botUserId}> hello`);
    const [answer] = await simulator.core.until(() => {
      const all = [...(simulator.core.state.messages.get(simulator.channel)?.values() ?? [])];
      const ours = all.filter(({ thread, user }) => thread === ts && user === simulator.botUserId);
      return ours.length > 0 ? ours : undefined;
    });
    expect(answer?.text).toContain('hello');
    expect(await simulator.press('ada', answer?.ts ?? '', 'more')).toEqual({ acknowledged: true });
    await simulator.core.until(() =>
      [...(simulator.core.state.messages.get(simulator.channel)?.values() ?? [])].some(
        ({ text }) => text === 'And more.',
      )
        ? true
        : undefined,
    );
    expect(simulator.calls.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  } finally {
    await app.stop();
    await simulator.close();
  }
});

function portOf(address: unknown): AddressInfo['port'] {
  if (typeof address === 'object' && address !== null && 'port' in address) return Number(address.port);
  throw new Error('the app has no port');
}
