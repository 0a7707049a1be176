import { DEPLOYMENT_STORIES } from './deployment-stories.ts';
import { SCHEDULE_STORIES } from './schedule-stories.ts';
import { SLACK_STORIES } from './slack-stories.ts';
import type { Story } from './story.ts';
import { TOOL_STORIES } from './tool-stories.ts';
import { VIDEO_STORIES } from './video-stories.ts';
import { VOICE_STORIES } from './voice-stories.ts';

/** What people do with the bot, each story run by the real handlers. */
export const STORIES: readonly Story[] = [
  ...SLACK_STORIES,
  ...VOICE_STORIES,
  ...VIDEO_STORIES,
  ...DEPLOYMENT_STORIES,
  ...TOOL_STORIES,
  ...SCHEDULE_STORIES,
];
