import type { NamedFault } from './named-faults.ts';
import type { SeededBug } from './seeded-bugs.ts';

/** A schedule with one fault, which shows a seeded bug. */
export type KnownSchedule = NamedFault & {
  /** A part of the violation. */
  readonly finding: string;
};

/**
 * A schedule for each seeded bug. A test fails if one of them no longer shows its bug: `npm run faults` then searches for another one, and
 * prints it with its fault.
 */
export const KNOWN_SCHEDULES: Readonly<Record<SeededBug, KnownSchedule>> = {
  'no fence': {
    request: 'update conversations SET body',
    nth: 1,
    fault: 'die-late',
    finding: 'stored turns were replaced',
  },
  'a recorded message is not queued again': {
    request: 'put conversations',
    nth: 1,
    fault: 'die-after',
    finding: 'is answered in 0 turns',
  },
  'earlier posts are not searched': {
    request: 'update conversations SET body',
    nth: 1,
    fault: 'die-after',
    finding: '2 messages for 1 turns',
  },
  'no reconcile pass': {
    request: 'deliver the event',
    nth: 1,
    fault: 'late',
    finding: 'a later look at',
  },
  'a record is overwritten': {
    request: 'deliver the event',
    nth: 1,
    fault: 'late',
    finding: '2 messages for 1 turns',
  },
  'a cost is booked twice': {
    request: 'update conversations SET #used = #used + :delta',
    nth: 1,
    fault: 'reply-lost',
    finding: 'is booked on',
  },
  // Slack sends the question twice, and the deletion once.
  'a refused task is acknowledged': {
    request: 'send',
    nth: 3,
    fault: 'error',
    finding: 'is answered in 1 turns',
  },
  'streams without metadata are not found': {
    request: 'chat.startStream',
    nth: 1,
    fault: 'die-after',
    finding: 'is left streaming',
  },
  'messages of another answer count as own': {
    request: 'chat.startStream',
    nth: 3,
    fault: 'reply-lost',
    finding: 'which nobody sees',
  },
  'a failed deletion counts as done': {
    request: 'delete conversations',
    nth: 2,
    fault: 'error',
    finding: 'is left',
  },
  'events of unknown channels are dropped': {
    request: 'GET /channels/',
    nth: 1,
    fault: 'error',
    finding: 'answered are',
  },
  'an interrupted call is repeated': {
    request: 'tool call',
    nth: 1,
    fault: 'die-after',
    finding: 'the call ran 2 times',
  },
  'a repeated request of a program is asked again': {
    request: 'send',
    nth: 1,
    fault: 'die-after',
    finding: '2 turns',
  },
  'a webhook is sent once only': {
    request: 'tool webhook',
    nth: 1,
    fault: 'error',
    finding: '0 events for the webhook',
  },
  'an erasure has no second pass': {
    request: 'get conversations',
    nth: 8,
    fault: 'slow',
    finding: 'after the erasure it remembers',
  },
  'an unfinished document is found': {
    request: 'put conversations',
    nth: 1,
    fault: 'die-after',
    finding: 'is found before it is stored',
  },
  'without the table nothing is masked': {
    request: 'get conversations',
    nth: 1,
    fault: 'error',
    finding: 'private data is in a prompt',
  },
  'an earlier file is not searched': {
    request: 'files.completeUploadExternal',
    nth: 1,
    fault: 'die-after',
    finding: 'the file is posted 2 times',
  },
  'an earlier canvas is not searched': {
    request: 'canvases.access.set',
    nth: 1,
    fault: 'die-after',
    finding: '2 canvases are visible',
  },
  'an erasure that cannot be read is ignored': {
    request: 'get conversations',
    nth: 6,
    fault: 'error',
    finding: 'a message from before an erasure is in a prompt',
  },
  'a failed search counts as empty': {
    request: 'GET /guilds/201000000000000001/messages/search',
    nth: 2,
    fault: 'error',
    finding: 'nobody is told that the search failed',
  },
  'a stored summary is requested again': {
    request: 'fetch',
    nth: 1,
    fault: 'die-after',
    finding: 'a stored summary is requested again',
  },
  'an earlier direct message is not searched': {
    request: 'chat.postMessage',
    nth: 1,
    fault: 'die-after',
    finding: '2 summaries of one week',
  },
};
