import { ANSWER_STORIES } from './answer-stories.ts';
import { API_STORIES } from './api-stories.ts';
import { DEPLOYMENT_STORIES } from './deployment-stories.ts';
import { KNOWLEDGE_STORIES } from './knowledge-stories.ts';
import { MEMORY_STORIES } from './memory-stories.ts';
import { MESSAGE_SEARCH_STORIES } from './message-search-stories.ts';
import { SCHEDULE_STORIES } from './schedule-stories.ts';
import { SLACK_STORIES } from './slack-stories.ts';
import type { Story } from './story.ts';
import { SUMMARY_STORIES } from './summary-stories.ts';
import { TOOL_STORIES } from './tool-stories.ts';
import { VIDEO_STORIES } from './video-stories.ts';
import { VOICE_STORIES } from './voice-stories.ts';

/** Stories of the whole deployment. A schedule takes about twice as long as one of the others. */
export const STORIES_OF_DEPLOYMENT: readonly Story[] = [
  ...DEPLOYMENT_STORIES,
  ...TOOL_STORIES,
  ...SCHEDULE_STORIES,
  ...API_STORIES,
  ...MEMORY_STORIES,
  ...KNOWLEDGE_STORIES,
  ...ANSWER_STORIES,
  ...MESSAGE_SEARCH_STORIES,
  ...SUMMARY_STORIES,
];

/** What people do with the bot, each story run by the real handlers. */
export const STORIES: readonly Story[] = [
  ...SLACK_STORIES,
  ...VOICE_STORIES,
  ...VIDEO_STORIES,
  ...STORIES_OF_DEPLOYMENT,
];
