import { slackFrontConfig } from '../shared/runtime/index.ts';
import { slackFrontDeps, slackFront } from './composition/slack/index.ts';

/** `POST /slack/events`: all events and interactions of Slack. Listeners are in shared/platforms/slack/listeners. */
export const handler = slackFront(slackFrontDeps(slackFrontConfig()));
