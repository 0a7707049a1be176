import { slackFrontConfig } from '../shared/runtime/config/front-config.ts';
import { slackFrontDeps, slackFront } from './composition/slack/slack-front.ts';

/** `POST /slack/events`: whatever Slack sends. */
export const handler = slackFront(slackFrontDeps(slackFrontConfig()));
