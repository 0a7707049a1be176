import { slackFrontConfig } from '../shared/runtime/front-config.ts';
import { frontDeps, slackFront } from './front.ts';

/** `POST /slack/events`: whatever Slack sends. */
export const handler = slackFront(frontDeps(slackFrontConfig()));
