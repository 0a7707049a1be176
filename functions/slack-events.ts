import { slackFrontConfig } from '../shared/runtime/config/front-config.ts';
import { slackFrontDeps, slackFront } from './composition/slack/slack-front.ts';

/** `POST /slack/events`: all events and interactions of Slack. Listeners are in shared/platforms/slack/listeners. */
export const handler = slackFront(slackFrontDeps(slackFrontConfig()));
