import { describe, expect, test } from '@jest/globals';
import { parseLogLine, RecordStore } from '../../../../infra/dashboard/index.ts';
import { createEmbeddedMetrics, createLogger } from '../../../../shared/runtime/index.ts';
import { logRecord, NOON } from './records.ts';

/** The line that the product's own logger writes. */
function write(act: (line: (text: string) => void) => void): string {
  const lines: string[] = [];
  act((text) => lines.push(text));
  return lines.join('\n');
}

const trace = () => 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0';

describe('a log line', () => {
  test('of the logger becomes a record with its facts', () => {
    const line = write((to) =>
      createLogger('info', to, () => NOON, trace).warn('task.failed', {
        failures: 2,
        error: 'SlackApiError',
      }),
    );
    expect(parseLogLine('Worker', line)).toEqual({
      at: NOON,
      source: 'Worker',
      level: 'warn',
      event: 'task.failed',
      trace: '1-5759e988-bd862e3fe1be46a994272793',
      facts: { failures: 2, error: 'SlackApiError' },
    });
  });

  test('with metrics becomes a record without the description of the metrics', () => {
    const line = write((to) =>
      createEmbeddedMetrics(
        'Parley',
        to,
        () => NOON,
        trace,
      )('answer.ended', { FirstWord: 420 }, { model: 'edge' }),
    );
    expect(parseLogLine('Worker', line)?.facts).toEqual({ FirstWord: 420, model: 'edge' });
  });

  test('about an exception counts from the time when it was read, with the first line of its message', () => {
    const line = JSON.stringify({
      level: 'ERROR',
      requestId: 'r',
      error: 'TypeError: no such thing\n    at run',
    });
    const record = { source: 'Worker', level: 'error', event: 'function.crashed', trace: undefined };
    expect(parseLogLine('Worker', line, NOON)).toEqual({
      ...record,
      at: NOON,
      facts: { error: 'TypeError: no such thing' },
    });
    expect(parseLogLine('Worker', line)).toBeUndefined();
  });

  test.each([
    [
      'an exception',
      {
        timestamp: '2026-11-28T12:00:00.000Z',
        level: 'ERROR',
        requestId: 'r',
        message: { errorType: 'TypeError', errorMessage: 'no such\nthing', stackTrace: ['TypeError'] },
      },
      'function.crashed',
      { error: 'TypeError: no such' },
    ],
    [
      'a timeout',
      {
        time: '2026-11-28T12:00:00.000Z',
        type: 'platform.report',
        record: { requestId: 'r', status: 'timeout', metrics: { durationMs: 840_000.4 } },
      },
      'function.failed',
      { reason: 'timeout', ms: 840_000 },
    ],
    [
      'a process that ended',
      {
        type: 'platform.report',
        record: { status: 'error', errorType: 'Runtime.OutOfMemory', metrics: { durationMs: 90 } },
      },
      'function.failed',
      { reason: 'error', error: 'Runtime.OutOfMemory', ms: 90 },
    ],
  ])('of Lambda about %s is an error', (_, line, event, facts) => {
    const record = { at: NOON, source: 'worker', level: 'error', event, trace: undefined, facts };
    expect(parseLogLine('worker', JSON.stringify(line), NOON)).toEqual(record);
  });

  test('of Lambda about an invocation that succeeded is ignored', () => {
    const line = { type: 'platform.report', record: { status: 'success', metrics: { durationMs: 1 } } };
    expect(parseLogLine('worker', JSON.stringify(line), NOON)).toBeUndefined();
  });

  test.each(['', 'plain words', '{"event":', '{}', '[1]', '{"event":"x","timestamp":"yesterday"}', 'null'])(
    'that is no event is ignored: %j',
    (line) => {
      expect(parseLogLine('Worker', line, NOON)).toBeUndefined();
    },
  );
});

describe('the store', () => {
  test('keeps the newest records, at most its capacity', () => {
    const store = new RecordStore(10);
    for (let at = 0; at < 100; at += 1) store.add(logRecord(at, 'task.failed'));
    expect(store.list().map(({ at }) => at - NOON)).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99]);
  });

  test('ignores heartbeats', () => {
    const store = new RecordStore(10);
    store.add(logRecord(0, 'relay.heartbeat'));
    expect(store.list()).toEqual([]);
  });
});
