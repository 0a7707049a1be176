import { readSlackOAuthConfig } from '../shared/runtime/index.ts';
import { createInstallDeps, createSlackInstall } from './composition/slack/index.ts';

/** `GET /slack/install` and `GET /slack/oauth_redirect`: the install of the app in a workspace. */
export const handler = createSlackInstall(createInstallDeps(readSlackOAuthConfig()));
