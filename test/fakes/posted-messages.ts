import type { PostRecords } from '../../shared/platforms/slack/files/post-records.ts';
import { Posts } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from './dynamo.ts';

/** What the bot has posted, in a table in memory. */
export const memoryPostedMessages = (now: () => number = Date.now): PostRecords =>
  new Posts({ dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now });
