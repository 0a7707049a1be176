import { expect, test } from '@jest/globals';
import {
  channelId,
  messageId,
  type TurnOutcome,
  userId,
  workspaceId,
} from '../../../../shared/domain/index.ts';
import { followWork } from '../../../../infra/parley/operator/follow-work.ts';
import { followErasure } from '../../../../infra/parley/data/follow-erasure.ts';
import { readRedriveResults, type RedrivenTask } from '../../../../infra/parley/redrive/follow-redrive.ts';
import { logRecord, NOON } from '../../dashboard/data/records.ts';

const THREAD = {
  platform: 'slack' as const,
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.000000'),
};
const failure = (reason: 'server' | 'timeout', at: number): TurnOutcome => ({
  kind: 'failed',
  reason,
  text: '',
  timings: [at, 0, 0, 0, 0, 0],
});
const ANSWERED: TurnOutcome = {
  kind: 'answered',
  text: 'a secret',
  finish: 'stop',
  model: 'edge',
  timings: [9, 0, 0, 0, 0, 1],
};
const BEFORE = failure('server', 1);

const letter = (id: string, source: 'failed question' | 'dead letter') => ({
  id,
  source,
  kind: 'ask',
  thread: 'slack#T1#C1#1.000000',
  at: 0,
  reason: 'server',
  trace: `trace-${id}`,
});
const question = (id: string): RedrivenTask => ({
  letter: letter(id, 'failed question'),
  question: { thread: THREAD, message: messageId(id) },
  endsTurn: true,
  before: BEFORE,
});
const other = (id: string): RedrivenTask => ({
  letter: letter(id, 'dead letter'),
  question: undefined,
  endsTurn: false,
  before: undefined,
});

/** A repeated regeneration or repair. */
const repair = (id: string): RedrivenTask => ({ ...other(id), question: question(id).question });

/** The results with these outcomes of turns by the id of the question, and these log events by trace. */
async function resultsOf(
  tasks: readonly RedrivenTask[],
  outcomes: Readonly<Record<string, TurnOutcome | 'open'>>,
  events: readonly (readonly [event: string, id: string, facts?: Record<string, string>])[] = [],
) {
  const records = events.map(([event, id, facts = {}]) => logRecord(0, event, facts, `trace-${id}`));
  const results = await readRedriveResults(tasks, NOON, {
    now: () => NOON,
    readLogs: async () => ({ records, isComplete: true }),
    findTurn: async (thread, message) => {
      const outcome = outcomes[message];
      if (outcome === undefined) return undefined;
      return {
        turn: { thread, message, asker: userId('U1'), askerWorkspace: workspaceId('T1') },
        content: outcome === 'open' ? undefined : { message, question: 'a secret', outcome },
        unreadable: false,
        mergedInto: undefined,
        fence: 1,
      };
    },
  });
  return results.map(({ id, state, detail }) => `${id} ${state}: ${detail}`);
}

test('a redriven question is done when its turn has another outcome than before', async () => {
  const tasks = ['a', 'b', 'c', 'd', 'e'].map(question);
  const outcomes = { a: ANSWERED, b: BEFORE, c: failure('timeout', 2), d: 'open' as const };
  expect(await resultsOf(tasks, outcomes)).toEqual([
    'a done: answered',
    'b waiting: not yet',
    'c failed: failed again: timeout',
    'd waiting: not yet',
    'e done: its question is deleted or erased',
  ]);
});

test('other redriven tasks, and those that fail again, are followed by the lines of their traces', async () => {
  const events = [
    ['task.requests-sent', 'a'],
    ['task.failed', 'b', { error: 'TypeError' }],
    ['task.given-up', 'c'],
    ['task.requests-sent', 'e'],
    ['task.failed', 'e', { error: 'SlackApiError' }],
    ['task.failed', 'f', { error: 'SlackApiError' }],
    ['task.requests-sent', 'f'],
  ] as const;
  expect(await resultsOf(['a', 'b', 'c', 'd', 'e', 'f'].map(other), {}, events)).toEqual([
    'a done: handled',
    'b waiting: an attempt failed (TypeError), it is tried again',
    'c failed: given up again',
    'd waiting: not yet',
    'e waiting: an attempt failed (SlackApiError), it is tried again',
    'f done: handled',
  ]);
});

test('a change or repair of an ended turn is followed by its trace, and is done if the turn is gone', async () => {
  const tasks = ['a', 'b', 'c', 'd', 'e'].map(repair);
  const outcomes = { a: ANSWERED, b: ANSWERED, d: ANSWERED, e: ANSWERED };
  const events = [
    ['answer.ended', 'b'],
    // It changed nothing, and sent no request.
    ['answer.change-ended', 'd'],
    // It shows how long it has to wait for a permit.
    ['task.requests-sent', 'e'],
  ] as const;
  expect(await resultsOf(tasks, outcomes, events)).toEqual([
    'a waiting: not yet',
    'b done: handled',
    'c done: its question is deleted or erased',
    'd done: handled',
    'e waiting: not yet',
  ]);
});

/** A clock that passes only while a command waits. */
function commandClock() {
  let time = NOON;
  return { now: () => time, wait: async (ms: number) => void (time += ms) };
}

test('a command that waits reports changes and every 15 seconds, and ends at its time limit', async () => {
  const reported: string[] = [];
  let checks = 0;
  const terminal = { report: (line: string) => void reported.push(line) };
  const check = async (): Promise<boolean> => (checks += 1) > 1_000;
  const options = { timeout: 20_000, kind: 'deployment' as const };
  expect(
    await followWork(
      check,
      () => (checks > 2 ? '1 of 2 ended' : '0 of 2 ended'),
      options,
      terminal,
      commandClock(),
    ),
  ).toBe(false);
  expect(reported.map((line) => line.split(' (')[0])).toEqual(['0 of 2 ended', '1 of 2 ended']);
  expect(checks).toBe(6);
});

test.each([
  [
    'erasure.completed',
    'workspace',
    0,
    'Erased: 7 items. A second pass in 4 minutes removes what was on its way.',
  ],
  [
    'erasure.completed',
    'person',
    0,
    'Erased: 7 items. A second pass in 4 minutes removes what was on its way.',
  ],
  ['erasure.completed', 'thread', 0, 'Erased: 7 items.'],
  [
    'task.given-up',
    'person',
    1,
    'it was given up once (no error in the log). It is queued again until it succeeds',
  ],
  ['task.failed', 'person', 1, 'Not completed in this time'],
] as const)('forget ends at %s of a %s with the exit code %i', async (event, scope, code, message) => {
  const reported: string[] = [];
  const records = [
    logRecord(0, 'erasure.continued', { erased: 3, scope }, 't'),
    logRecord(1, event, { ...(event === 'erasure.completed' && { erased: 4, scope }) }, 't'),
  ];
  const clock = commandClock();
  const readLogs = async () => ({ records: clock.now() > NOON ? records : [], isComplete: true });
  const terminal = { report: (line: string) => void reported.push(line) };
  const options = { timeout: 8_000, kind: 'deployment' as const };
  expect(await followErasure({ trace: 't', sinceMs: NOON }, readLogs, options, terminal, clock)).toBe(code);
  expect(reported[0]).toContain('Erasing ...');
  expect(reported.at(-1)).toContain(message);
  const hasSecondPass = event === 'erasure.completed' && scope !== 'thread';
  expect(reported.at(-1)?.includes('second pass')).toBe(hasSecondPass);
});

test('forget follows an erasure that is given up and queued again until its end, and then says what failed', async () => {
  const reported: string[] = [];
  const steps = [
    [
      logRecord(0, 'task.failed', { error: 'AwsError' }, 't'),
      logRecord(1, 'task.given-up', {}, 't'),
      logRecord(2, 'task.failed', { error: 'AwsError' }, 't'),
      logRecord(3, 'task.given-up', {}, 't'),
    ],
    [logRecord(4, 'erasure.completed', { erased: 4, scope: 'thread' }, 't')],
  ];
  const clock = commandClock();
  const readLogs = async () => ({
    records: steps.slice(0, 1 + Math.floor((clock.now() - NOON) / 60_000)).flat(),
    isComplete: true,
  });
  const terminal = { report: (line: string) => void reported.push(line) };
  const options = { timeout: 600_000, kind: 'deployment' as const };
  expect(await followErasure({ trace: 't', sinceMs: NOON }, readLogs, options, terminal, clock)).toBe(0);
  expect(reported[0]).toContain('Queued again: it was given up 2 times (AwsError)');
  expect(reported.at(-1)).toBe('Erased: 4 items. Before that it was given up 2 times (AwsError).');
});
