import { expect, test } from '@jest/globals';
import { createServer } from 'node:http';
import { slackInstall } from '../../../../functions/composition/slack/slack-install.ts';
import { newState } from '../../../../shared/platforms/slack/oauth/oauth-state.ts';

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

test.each([
  ['a code that was made up', { ok: false, error: 'invalid_code' }, 400],
  ['a code that was used', { ok: false, error: 'code_already_used' }, 400],
  ['a secret of ours that Slack does not take', { ok: false, error: 'bad_client_secret' }, 502],
  ['an answer that nobody understands', 'oops', 502],
])('%s is a failure of whoever sent it: only ours ring an alarm', async (_, answer, status) => {
  const slack = createServer((_request, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
  const at = slack.address();
  const install = slackInstall({
    app: { load: () => Promise.resolve({ clientId: 'id', clientSecret: 'hush' }) },
    slackApiUrl: `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}/api/`,
    installs: { save: () => Promise.reject(new Error('nothing to keep')) },
    now: () => 0,
    log: () => undefined,
  });
  const state = newState('hush', 0);
  const event = {
    routeKey: 'GET /slack/oauth_redirect',
    cookies: [`__Host-parley-install=${state}`],
    queryStringParameters: { state, code: 'made-up' },
    requestContext: { domainName: 'api.example.com' },
  };
  const { statusCode } = await install(event);
  slack.closeAllConnections();
  slack.close();
  expect(statusCode).toBe(status);
});
