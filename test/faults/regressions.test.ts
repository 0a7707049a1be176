import { expect, test } from '@jest/globals';
import { replay } from './explore.ts';
import { STORIES } from './stories.ts';

/** Schedules with a wrong result in the past, by their defect. */
test.each([
  [
    'a stream whose start was not confirmed is not mistaken for the answer of a deleted question',
    'slack-delete:strikes:85=reply-lost',
    'chat.startStream !! reply-lost',
  ],
  [
    'a pointer message that is delivered twice runs its task once, however long one delivery waits for its permit',
    'slack-thread:strikes:33=throttled,246=double,268=slow',
    'deliver to isolated !! double',
  ],
  [
    'a question with part of an answer of its own is not merged into another turn',
    'slack-merged:seed:37',
    'get conversations !! die-before',
  ],
  [
    'an edit of a merged question is applied after a later edit of another question of the turn',
    'slack-thread:seed:100047',
    'front send !! slow',
  ],
  [
    'a redelivered message that is delivered twice is answered once, though both deliveries claim its turn',
    'deployment:seed:20101368',
    'deliver to worker !! double',
  ],
  [
    'a question that is delivered again after the root of its thread was deleted is not answered',
    'slack-threads-changes:seed:41',
    'isolate !! slow',
  ],
  [
    'an edit that arrives after the question was accepted from a later edit is not applied',
    'slack-threads-changes:seed:1464',
    'get conversations !! clock-back',
  ],
  [
    'an edit of a question that was deleted before it was recorded is not answered',
    'slack-thread:seed:30006042',
    'front query conversations !! error',
  ],
  [
    'an edit that arrives after the deletion of its question is not applied',
    'slack-thread:seed:6000463',
    'SET #ttl = :ttl, returned = if_not_exists(returned, :zero) + :one !! throttled',
  ],
  [
    'a worker whose claim is confirmed late does not ask again after another delivery took the claim over',
    'slack-invocation-lock:seed:4000318',
    'fence = if_not_exists(fence, :zero) + :one REMOVE receipt !! slow',
  ],
  [
    'a process that claims its task late, after the task was given up, does not answer it',
    'slack-thread:seed:30003598',
    'worker 33 isolate !! reply-lost',
  ],
  [
    'a worker in the large function whose claim is confirmed late does not ask again either',
    'large:seed:7000068',
    'fence = if_not_exists(fence, :zero) + :one REMOVE receipt !! slow',
  ],
  [
    'the original message that arrives after its edit is not answered, although the task of the edit is given up',
    'slack-merged-changes:seed:365',
    'deliver to worker !! late',
  ],
  [
    'a status that waits behind a slow one does not appear after the answer',
    'slack-question:strikes:13=slow,15=slow',
    'agents.sessions.setStatus !! slow',
  ],
  [
    'a status that appears after the deletion of its question is removed',
    'slack-threads-changes:seed:40001368',
    'agents.sessions.setStatus !! die-late',
  ],
  [
    'a finished transcript card does not go back to its progress when its task is delivered late',
    'voice:seed:7000412',
    'getPermalink !! reply-lost',
  ],
  [
    'a question from before an uninstall leaves no failure notice when its task is given up after it',
    'oauth-uninstall:seed:8000215',
    'tell the front !! late',
  ],
  [
    'a permit is returned once when the client repeats the write',
    'slack-stop:seed:3000082',
    'SET tat = tat - :cost, #ttl = :ttl REMOVE #share, #countedOld ADD #counted :countedSet !! retried',
  ],
  [
    'a permit is returned once when the client repeats the write, and the task moves to the large worker',
    'large-when-claimed:seed:5000180',
    'SET tat = tat - :cost, #ttl = :ttl REMOVE #share, #countedOld ADD #counted :countedSet !! retried',
  ],
])('%s', async (_, text, fault) => {
  const [name, ...rest] = text.split(':');
  const story = STORIES.find((one) => one.name === name);
  if (!story) throw new Error(`no such story: ${name}`);
  const { wrong, trace } = await replay(story, rest.join(':'));
  // The fault occurred where it did then.
  expect(trace().join('\n')).toContain(fault);
  expect(wrong).toEqual([]);
});
