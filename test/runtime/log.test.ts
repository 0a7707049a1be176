import { expect, test } from '@jest/globals';
import { type Level, createLogger } from '../../shared/runtime/log.ts';

function lines(least: Level) {
  const written: unknown[] = [];
  return {
    written,
    log: createLogger(
      least,
      (line) => written.push(JSON.parse(line)),
      () => 0,
    ),
  };
}

test('logs one JSON line per event with the allowed fields', () => {
  const { log, written } = lines('debug');
  // As from a value that holds more than its type says.
  const facts = { reason: 'own', ms: 3, text: 'private', token: 'xoxb-1' };
  log.info('event.dropped', facts);
  expect(written).toEqual([
    {
      timestamp: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'event.dropped',
      reason: 'own',
      ms: 3,
    },
  ]);
});

test('logs all that the upstream says about a failure', () => {
  const { log, written } = lines('debug');
  const facts = { status: 400, code: 'invalid_value', param: 'top_k', requestId: 'req_1' };
  log.warn('answer.failed', facts);
  expect(written).toMatchObject([facts]);
});

test('logs nothing below the minimum level', () => {
  const { log, written } = lines('warn');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');
  expect(written).toMatchObject([{ event: 'c' }, { event: 'd' }]);
});

test.each(['warn', 'error'] as const)(
  'logs failures as warnings, which alarms count, also with the level %s',
  (least) => {
    const { log, written } = lines(least);
    for (const event of ['answer.failed', 'rate-limits.table-unavailable', 'sweep.given-up']) log.info(event);
    for (const event of ['answer.ended', 'answer.postponed', 'voice.transcription-stopped']) log.info(event);
    expect(written).toMatchObject([
      { event: 'answer.failed', level: 'warn' },
      { event: 'rate-limits.table-unavailable', level: 'warn' },
      { event: 'sweep.given-up', level: 'warn' },
    ]);
  },
);

test('cuts long values and escapes line breaks', () => {
  const { log, written } = lines('debug');
  log.info('x', { error: `a\n${'b'.repeat(500)}` });
  expect(written).toHaveLength(1);
  expect(JSON.stringify(written[0]).length).toBeLessThan(320);
});

test('adds the id of the current trace to each line', () => {
  const written: unknown[] = [];
  const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0';
  const log = createLogger(
    'info',
    (line) => written.push(JSON.parse(line)),
    () => 0,
    () => header,
  );
  log.info('x');
  expect(written).toMatchObject([{ event: 'x', trace: '1-5759e988-bd862e3fe1be46a994272793' }]);
});
