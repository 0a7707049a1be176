import { expect, test } from '@jest/globals';
import { slackInstall } from '../../functions/install.ts';

test('behind a firewall Slack sends the browser back to the address that it called, not to the one of the API', async () => {
  const install = slackInstall({
    app: { load: () => Promise.resolve({ clientId: 'id', clientSecret: 'hush' }) },
    slackApiUrl: 'https://slack.com/api/',
    publicUrl: 'https://d1.cloudfront.net',
    installs: { save: () => Promise.reject(new Error('nothing to keep')) },
    now: () => 0,
    log: () => undefined,
  });
  const requestContext = { domainName: 'abc.execute-api.us-east-1.amazonaws.com' };
  const { headers } = await install({ routeKey: 'GET /slack/install', requestContext });
  const location = new URL(headers?.['location'] ?? '');
  expect(location.searchParams.get('redirect_uri')).toBe('https://d1.cloudfront.net/slack/oauth_redirect');
});

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
