import { readSlackFrontConfig } from '../shared/runtime/index.ts';
import { createSlackFrontDeps, createSlackFront } from './composition/slack/index.ts';

/** `POST /slack/events`: all events and interactions of Slack. Listeners are in shared/platforms/slack/listeners. */
export const handler = createSlackFront(createSlackFrontDeps(readSlackFrontConfig()));
