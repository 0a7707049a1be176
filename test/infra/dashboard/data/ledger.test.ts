import { describe, expect, test } from '@jest/globals';
import { findMessageLedger } from '../../../../infra/dashboard/index.ts';
import { toMessageRows } from '../../../../infra/dashboard/data/ledger.ts';
import { logRecord, NOON } from './records.ts';

const place = { channel: 'C1', message: '1.5', root: '1.5' };
const nameOf = (_platform: string, _scope: string, id: string) => (id === 'C1' ? '#general' : undefined);

/** A mention in Slack: two events, one task, which is delivered twice. */
const MENTION = [
  logRecord(0, 'task.enqueued', { kind: 'ask', platform: 'slack', ...place }, 'a'),
  logRecord(5, 'slack.accepted', { kind: 'message', ...place }, 'a'),
  logRecord(6, 'slack.accepted', { kind: 'message', ...place }, 'b'),
  logRecord(10, 'task.received', { kind: 'ask', receives: 1, ...place }, 'a'),
  logRecord(200, 'upstream.failed', { reason: 'server', FailedRequests: 1 }, 'a'),
  logRecord(2_000, 'task.received', { kind: 'ask', receives: 2, ...place }, 'a'),
  logRecord(
    3_000,
    'answer.ended',
    {
      platform: 'slack',
      kind: 'answered',
      model: 'edge',
      requests: 2,
      AnswerTime: 2_990,
      QueueWait: 20,
      RequestWait: 100,
      FirstWord: 400,
      PromptTokens: 12,
      CompletionTokens: 3,
      Dollars: 0.01,
    },
    'a',
  ),
  logRecord(3_010, 'task.deleted', { kind: 'ask', ...place }, 'a'),
];
const rowsOf = (records: Parameters<typeof toMessageRows>[0], fromMs = 0) =>
  toMessageRows(records, nameOf, fromMs, 10);

describe('a message', () => {
  test('is one row, whatever the number of its events and deliveries', () => {
    expect(rowsOf(MENTION)).toEqual([
      {
        trace: 'a',
        platform: 'slack',
        channel: 'C1',
        channelName: '#general',
        message: '1.5',
        receivedAt: NOON,
        state: 'answered',
        reason: undefined,
        model: 'edge',
        requests: 2,
        attempts: 2,
        queueWaitMs: 20,
        requestWaitMs: 100,
        firstWordMs: 400,
        totalMs: 2_990,
        promptTokens: 12,
        completionTokens: 3,
        dollars: 0.01,
        problems: 1,
      },
    ]);
  });

  test('waits until its answer ended', () => {
    expect(rowsOf(MENTION.slice(0, 4))).toMatchObject([
      { state: 'waiting', attempts: 1, totalMs: undefined },
    ]);
  });

  test('that failed says why', () => {
    const failed = logRecord(9, 'answer.ended', { kind: 'failed', reason: 'quota', AnswerTime: 9 }, 'a');
    expect(rowsOf([...MENTION.slice(0, 4), failed])).toMatchObject([{ state: 'failed', reason: 'quota' }]);
  });

  test.each(['greeting', 'no-words', 'over-budget'])('was not asked for the reason %s', (reason) => {
    const ended = logRecord(9, 'answer.ended', { kind: 'failed', reason, AnswerTime: 9 }, 'a');
    expect(rowsOf([...MENTION.slice(0, 4), ended])).toMatchObject([{ state: 'unasked', reason }]);
  });

  test('without a task line is known by its answer, and counts from its arrival', () => {
    const ended = logRecord(
      500,
      'answer.ended',
      { platform: 'discord', kind: 'answered', AnswerTime: 450 },
      'd',
    );
    expect(rowsOf([ended])).toMatchObject([
      { trace: 'd', platform: 'discord', channel: undefined, receivedAt: NOON + 50, attempts: 1 },
    ]);
  });

  test('is no row if it is a command or of another time', () => {
    const command = [
      logRecord(0, 'slack.accepted', { kind: 'command', channel: 'C1' }, 'c'),
      logRecord(0, 'task.enqueued', { kind: 'invoked', channel: 'C1' }, 'c'),
    ];
    expect(rowsOf(command)).toEqual([]);
    expect(rowsOf(MENTION, NOON + 1)).toEqual([]);
  });

  test('comes before older ones, and only so many are listed', () => {
    const later = logRecord(60_000, 'answer.ended', { kind: 'answered', AnswerTime: 10 }, 'z');
    expect(rowsOf([...MENTION, later]).map(({ trace }) => trace)).toEqual(['z', 'a']);
    expect(toMessageRows([...MENTION, later], nameOf, 0, 1).map(({ trace }) => trace)).toEqual(['z']);
  });
});

describe('the ledger', () => {
  test('goes from the event to the final update, with the phases of the answer and the requests of its task', () => {
    const calls =
      '3010 slack:chat.startStream@440+25=200 models:POST/chat/completions@110+900=200 slack:chat.stopStream@900+30=429~2000 slack:chat.stopStream@2990+10=200!not_found slack:cut@1';
    const line = logRecord(3_020, 'task.requests-sent', { calls }, 'a');
    const ledger = findMessageLedger([...MENTION, line], nameOf, 'b');
    expect(ledger?.entries.map(({ at, what }) => [at - NOON, what])).toEqual([
      [0, 'A task was queued'],
      [5, 'The front accepted an event of Slack'],
      [6, 'The front accepted an event of Slack'],
      [10, 'A worker received the task'],
      [20, 'The worker began'],
      [120, 'The first request went to the model'],
      [120, 'Request: POST /chat/completions'],
      [200, 'A request to the models failed'],
      [400, 'The first word arrived'],
      [450, 'Request: chat.startStream'],
      [910, 'Request: chat.stopStream'],
      [2_000, 'A worker received the task'],
      [2_990, 'The answer was complete'],
      [3_000, 'The final update was shown'],
      [3_000, 'Request: chat.stopStream'],
      [3_010, 'The task left the queue'],
    ]);
    expect(ledger?.entries.filter(({ isProblem }) => isProblem).map(({ details }) => details)).toEqual([
      'reason server, FailedRequests 1',
      '429, 30 ms, to wait 2.0 s',
      'not_found, 10 ms',
    ]);
    expect(ledger?.calls).toEqual([
      {
        service: 'models',
        method: 'POST /chat/completions',
        requests: 1,
        ms: 900,
        waitMs: 0,
        statuses: { '200': 1 },
      },
      {
        service: 'slack',
        method: 'chat.startStream',
        requests: 1,
        ms: 25,
        waitMs: 0,
        statuses: { '200': 1 },
      },
      {
        service: 'slack',
        method: 'chat.stopStream',
        requests: 2,
        ms: 40,
        waitMs: 2_000,
        statuses: { '429': 1, not_found: 1 },
      },
    ]);
  });

  test('of an unknown trace is undefined', () => {
    expect(findMessageLedger(MENTION, nameOf, 'x')).toBeUndefined();
    expect(findMessageLedger([logRecord(0, 'worker.hung')], nameOf, '')).toBeUndefined();
  });
});
