import { expect, test } from '@jest/globals';
import { replay } from './explore.ts';
import { STORIES } from './stories.ts';

/** Schedules that ended wrongly once, by what was wrong. */
test.each([
  [
    'a stream of which nothing was heard is not taken for what is left of another question, which was deleted',
    'slack-delete:strikes:84=reply-lost',
    'chat.startStream !! reply-lost',
  ],
  [
    'a note that is delivered twice has its task done once, however long one of the two takes to get its permit',
    'slack-thread:strikes:33=throttled,246=double,268=slow',
    'deliver to isolated !! double',
  ],
])('%s', async (_, text, fault) => {
  const [name, ...rest] = text.split(':');
  const story = STORIES.find((one) => one.name === name);
  if (!story) throw new Error(`no such story: ${name}`);
  const { wrong, trace } = await replay(story, rest.join(':'));
  // The fault struck where it did then.
  expect(trace().join('\n')).toContain(fault);
  expect(wrong).toEqual([]);
});
