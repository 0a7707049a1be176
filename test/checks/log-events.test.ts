import { expect, test } from '@jest/globals';
import { findLogEventProblems } from '../../infra/checks/names/log-events.ts';

const code = (call: string) => ({ path: 'shared/chat/answer.ts', text: `${call};\n` });
const alarm = {
  path: 'infra/cdk/monitoring/alarm-rules.ts',
  text: "// Alarms\nFilterPattern.stringValue('$.event', '=', 'answer.failed');\n",
};
const runbook = { path: 'docs/runbook.md', text: '`answer.failed`: the models do not answer.\n' };

test.each([
  "log('answer.failed')",
  "log?.('slack.post-record-failed', { error })",
  "context.log.warn('gateway.queue-full')",
  "metrics('upstream.limited', { RateLimited: 1 })",
])('%s passes the check', (call) => {
  expect(findLogEventProblems([code(call)])).toEqual([]);
});

test.each([
  "log('answer.look')",
  "log('answer.not_removed')",
  "log.error('Answer.failed')",
  "log('slack.answer.failed')",
])('%s fails the check', (call) => {
  expect(findLogEventProblems([code(call)])).toEqual([expect.stringContaining('is not area.what-happened')]);
});

test('an alarm passes the check when the code logs its event and the runbook explains it', () => {
  expect(findLogEventProblems([code("log('answer.failed')"), alarm, runbook])).toEqual([]);
});

test('an alarm fails the check when nothing logs its event or the runbook does not explain it', () => {
  expect(findLogEventProblems([code("log('turn.failed')"), alarm])).toEqual([
    expect.stringContaining('nothing logs the event answer.failed'),
    expect.stringContaining('does not explain the event answer.failed'),
  ]);
});
