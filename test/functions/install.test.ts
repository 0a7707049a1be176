import { expect, test } from '@jest/globals';
import { slackInstall } from '../../functions/install.ts';

test('what is no event of API Gateway is refused, and nothing of it is thrown', async () => {
  const install = slackInstall({
    app: { load: () => Promise.resolve({ clientId: 'id', clientSecret: 'hush' }) },
    slackApiUrl: 'https://slack.com/api/',
    installs: { save: () => Promise.reject(new Error('nothing to keep')) },
    now: () => 0,
    log: () => undefined,
  });
  const event = { routeKey: 'GET /slack/oauth_redirect', cookies: 'parley-install=hush' };
  expect(await install(event)).toEqual({ statusCode: 400, body: '' });
});
