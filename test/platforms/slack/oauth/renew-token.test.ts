import { afterEach, expect, test } from '@jest/globals';
import { renewToken, TokenNotRenewedError } from '../../../../shared/platforms/slack/oauth/renew-token.ts';
import { slackWebApi } from '../../../fakes/slack-web-api.ts';

const NOW = 1_700_000_000_000;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function renew(body: unknown) {
  const slack = await slackWebApi({ 'oauth.v2.access': body });
  closers.push(slack.close);
  const app = { clientId: 'id', clientSecret: 'hush', slackApiUrl: slack.slackApiUrl, now: () => NOW };
  return { renewed: renewToken(app, 'xoxe-1'), received: slack.received };
}

test('a refresh token is exchanged for the next bot token and refresh token', async () => {
  const { renewed, received } = await renew({
    ok: true,
    access_token: 'xoxb-2',
    refresh_token: 'xoxe-2',
    expires_in: 43_200,
  });
  expect(await renewed).toEqual({
    botToken: 'xoxb-2',
    renewal: { token: 'xoxe-2', until: NOW + 43_200_000 },
  });
  expect(received).toMatchObject([
    {
      method: 'oauth.v2.access',
      args: {
        client_id: 'id',
        client_secret: 'hush',
        grant_type: 'refresh_token',
        refresh_token: 'xoxe-1',
      },
    },
  ]);
});

test.each([
  ["Slack's own code", { ok: false, error: 'invalid_refresh_token' }, 'invalid_refresh_token'],
  ['unexpected_answer', { ok: true, access_token: '' }, 'unexpected_answer'],
  ['unanswered', '<html>', 'unanswered'],
])('a token that is not renewed is reported with %s and without any token', async (_, body, code) => {
  const { renewed } = await renew(body);
  const error: unknown = await renewed.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TokenNotRenewedError);
  expect(error).toMatchObject({ code });
  expect(JSON.stringify([error, String(error)])).not.toMatch(/xoxe|hush/u);
});
