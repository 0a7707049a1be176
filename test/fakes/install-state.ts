import { createStateStore } from '../../shared/platforms/slack/oauth/install-provider.ts';

/** The state of an install that started at `now` (ms since 1970), as the app with this client secret signs it. */
export const installState = (clientSecret: string, now: number): Promise<string> =>
  createStateStore(clientSecret, () => now).generateStateParam(
    { scopes: [], redirectUri: 'https://bot.example.com/slack/oauth_redirect' },
    new Date(now),
  );
