import { slackOAuthConfig } from '../shared/runtime/config/config.ts';
import { installDeps, slackInstall } from './composition/slack/slack-install.ts';

/** `GET /slack/install` and `GET /slack/oauth_redirect`: how a workspace gets the app. */
export const handler = slackInstall(installDeps(slackOAuthConfig()));
