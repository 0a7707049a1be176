import { createHmac } from 'node:crypto';
import { ClearStateStore, type InstallationStore, InstallProvider, type StateStore } from '@slack/oauth';
import { silentLogger, createWebClientOptions } from '../api/web-client.ts';

export type InstallProviderConfig = {
  /** Such as `https://slack.com/api/`. */
  readonly slackApiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The cookie that ties an install to the browser that started it. */
  readonly cookieName: string;
  readonly installationStore: InstallationStore;
  readonly now: () => number;
};

/** How long a person may take to allow the app, in seconds. */
const STATE_TTL_S = 10 * 60;

/** Slack's package for the OAuth flow. Its log is off: it would hold codes and tokens. */
export function createInstallProvider(config: InstallProviderConfig): InstallProvider {
  const { slackApiUrl, clientId, clientSecret, cookieName, installationStore, now } = config;
  return new InstallProvider({
    clientId,
    clientSecret,
    installationStore,
    stateStore: createStateStore(clientSecret, now),
    stateCookieName: cookieName,
    stateCookieExpirationSeconds: STATE_TTL_S,
    // Redirects to Slack without a page of our own.
    directInstall: true,
    authorizationUrl: new URL('/oauth/v2/authorize', slackApiUrl).href,
    clientOptions: createWebClientOptions(slackApiUrl),
    logger: silentLogger,
  });
}

/**
 * Signs the state that goes to Slack and back with the browser, for ten minutes. InstallProvider also compares it with
 * the cookie, so that only the browser that started an install can finish it.
 */
export function createStateStore(clientSecret: string, now: () => number): StateStore {
  const stateSecret = createHmac('sha256', clientSecret).update('slack-install-state').digest('hex');
  const store = new ClearStateStore(stateSecret, STATE_TTL_S);
  return {
    generateStateParam: (options) => store.generateStateParam(options, new Date(now())),
    verifyStateParam: (_, state) => store.verifyStateParam(new Date(now()), state),
  };
}
