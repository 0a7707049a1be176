import { expect, test } from '@jest/globals';
import { parseTask, getTaskTurnRef } from '../../shared/domain/index.ts';

const ask = {
  v: 1,
  kind: 'ask',
  thread: { platform: 'slack', workspace: 'T1', channel: 'C1', root: '1700000000.000100' },
  message: '1700000001.000200',
  asker: 'U1',
  askerWorkspace: 'T1',
  question: 'Why?',
  attachments: [],
  receivedAt: 1_700_000_001_500,
};

test('parseTask returns the task that was queued', () => {
  const task = parseTask(JSON.stringify(ask));
  expect(task).toEqual(ask);
  expect(task && getTaskTurnRef(task)).toEqual({
    thread: ask.thread,
    message: ask.message,
    asker: 'U1',
    askerWorkspace: 'T1',
  });
});

test.each([
  ['nothing', ''],
  ['no JSON', '{'],
  ['no object', 'null'],
  ['another version', JSON.stringify({ ...ask, v: 2 })],
  ['an unknown kind', JSON.stringify({ ...ask, kind: 'dance' })],
  ['an unknown platform', JSON.stringify({ ...ask, thread: { ...ask.thread, platform: 'irc' } })],
  ['an empty id', JSON.stringify({ ...ask, message: '' })],
  ['a missing question', JSON.stringify({ ...ask, question: undefined })],
])('%s is no task', (_what, body) => {
  expect(parseTask(body)).toBeUndefined();
});
