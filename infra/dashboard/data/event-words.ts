import type { LogRecord } from './log-record.ts';

/** Sentences for the events that an operator sees most. Other events appear by their name. */
const SENTENCES: Readonly<Record<string, string>> = {
  'slack.accepted': 'The front accepted an event of Slack',
  'slack.dropped': 'The front dropped an event that is not for the bot',
  'task.enqueued': 'A task was queued',
  'task.received': 'A worker received the task',
  'task.deleted': 'The task left the queue',
  'task.moved': 'The task moved to the dead letters',
  'task.failed': 'An attempt at the task failed',
  'task.given-up': 'The task was given up',
  'task.dead-lettered': 'The given-up task was handled',
  'task.requests-sent': 'The requests of a task',
  'answer.ended': 'The final update was shown',
  'answer.failed': 'The models gave no answer',
  'answer.postponed': 'The question waits for the models',
  'question.failed': 'The question got no answer',
  'upstream.failed': 'A request to the models failed',
  'upstream.limited': 'The models rejected a request: rate limit',
  'slack.limited': 'Slack rejected a request: rate limit',
  'discord.limited': 'Discord rejected a request: rate limit',
  'tool.called': 'A tool was called',
  'tool.failed': 'The call of a tool failed',
  'search.failed': 'The web search failed',
  'feedback.given': 'Somebody rated the answer',
  'function.crashed': 'A function ended with an exception',
  'function.failed': 'An invocation of a function failed',
  'worker.hung': 'A worker stood still and was ended',
  'video.job-requested': 'A video or picture was requested',
  'video.job-ended': 'A video or picture ended',
};

/** Returns what happened in plain words, or the name of the event. */
export const describeEvent = ({ event }: Pick<LogRecord, 'event'>): string => SENTENCES[event] ?? event;
