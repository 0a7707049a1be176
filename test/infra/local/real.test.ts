import { expect, test } from '@jest/globals';
import { join } from 'node:path';
import { startLocal } from '../../../infra/local/system.ts';
import { startSlackSimulator } from '../../simulators/slack/index.ts';
import { startUpstreamSimulator } from '../../simulators/upstream/index.ts';
import { scratch } from './toy.ts';

test('with tokens it talks to a Slack and a model server that run elsewhere', async () => {
  const folder = scratch();
  const slack = await startSlackSimulator({ botToken: 'xoxb-elsewhere' });
  const upstream = await startUpstreamSimulator({ apiKey: 'key-elsewhere', paceMs: 0 });
  const system = await startLocal({
    data: join(folder.directory, 'data'),
    port: 0,
    variables: {
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_SIGNING_SECRET: slack.signingSecret,
      SLACK_BOT_USER_ID: slack.botUserId,
      UPSTREAM_BASE_URL: upstream.baseUrl,
      UPSTREAM_API_KEY: upstream.apiKey,
      UPSTREAM_MODEL: 'model-e',
    },
  });
  slack.setDeliverTo(`${system.local.api}/slack/events`);
  const thread = await slack.say('ada', '@parley What is 20 + 3?');
  const answer = await slack.core.until(() => {
    const messages = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
    return messages.find(
      (one) => one.thread === thread && one.user === slack.botUserId && one.text.includes('23'),
    );
  });
  expect(answer.text).toContain('23');
  // The list of models was asked for too, to know what this one takes.
  const asked = upstream.journal.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(asked).toEqual([expect.objectContaining({ model: 'model-e' })]);
  expect(system.local).toMatchObject({
    page: null,
    upstream: { baseUrl: upstream.baseUrl, apiKey: 'key-elsewhere' },
  });
  await system.close();
  await Promise.all([slack.close(), upstream.close()]);
  folder.remove();
}, 60_000);
