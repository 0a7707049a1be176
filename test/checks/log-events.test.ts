import { expect, test } from '@jest/globals';
import {
  findLogEventProblems,
  findQuietAlarms,
  findUnexplainedWarnings,
  listAlarmedEvents,
} from '../../infra/checks/names/log-events.ts';
import { findUnknownLogFields } from '../../infra/checks/names/log-fields.ts';
import { readSourceTree } from '../../infra/checks/source-tree.ts';
import { describeEvent } from '../../infra/dashboard/index.ts';
import { isFailureEvent } from '../../shared/runtime/log.ts';

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
  "info('sweep.look')",
  'log?.(`${rules.platform}.message_not_deleted`)',
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

test.each([
  ["log('answer.failed')", []],
  ["log.info('answer.failed')", []],
  ["log.debug('answer.failed')", ['answer.failed']],
  ["log.info('answer.ended')", ['answer.ended']],
  ["log.error('answer.ended')", []],
  ["error('answer.ended')", []],
])('an event behind an alarm is a warning: %s', (call, quiet) => {
  const pattern = { ...alarm, text: `${alarm.text}${alarm.text.replace('failed', 'ended')}` };
  expect(findQuietAlarms([code(call), pattern], isFailureEvent)).toEqual(
    quiet.map((event) => expect.stringContaining(`the event ${event} raises an alarm`)),
  );
});

test('each event of the project that raises an alarm is a warning, which no value of LogLevel hides, and has words', async () => {
  const files = await readSourceTree();
  expect(findQuietAlarms(files, isFailureEvent)).toEqual([]);
  const wordless = listAlarmedEvents(files).filter((one) => describeEvent(one) === one.event);
  expect(wordless).toEqual([]);
});

test('each warning of the project has a row in docs/log-events.md, and each row an event', async () => {
  expect(findUnexplainedWarnings(await readSourceTree(), isFailureEvent)).toEqual([]);
});

test.each([
  ["log('answer.failed')", '', ['does not explain the event answer.failed']],
  ["log('answer.failed')", '| `answer.failed` | No answer. | Nothing |\n', []],
  ["log.warn('gateway.retried')", '', ['does not explain the event gateway.retried']],
  ["log.debug('answer.failed')", '', []],
  ["metrics('upstream.failed')", '', []],
  ['log(`${rules.platform}.append-failed`)', '', ['does not explain the event platform.append-failed']],
  [
    'log(`${rules.platform}.append-failed`)',
    '| `answer.ended`, `slack.append-failed` | . | . |\n',
    ['nothing logs the event answer.ended'],
  ],
  [
    'log(`${rules.platform}.append-failed`)',
    '| `answer.append-failed`, `slack.append-failed` | . | . |\n',
    ['nothing logs the event answer.append-failed'],
  ],
])('a warning without a row, and a row without an event, fail the check: %s', (call, text, problems) => {
  const page = { path: 'docs/log-events.md', text };
  expect(findUnexplainedWarnings([code(call), page], isFailureEvent)).toEqual(
    problems.map((problem) => expect.stringContaining(problem)),
  );
});

test.each([
  ['{ $.event = "answer.failed" }', 0],
  ['{ $.event = "answer.*" }', 0],
  ["npx parley tail --event 'answer.failed'", 0],
  ['{ $.event = "erase.*" }', 1],
  ['filter event = "answer.lost"', 1],
])('a search in a document is for an event that is logged: %s', (search, count) => {
  const page = { path: 'docs/page.md', text: search };
  expect(findLogEventProblems([code("log('answer.failed')"), page])).toHaveLength(count);
});

test.each([
  ["log('answer.failed', { reason, ...facts })", []],
  ["log?.('answer.failed', { reason: reasonOf(error, 2), // Why, and when\n })", []],
  ["log.info('answer.failed', { reason: missing.slice(0, 5), shard })", ['shard']],
  ["log('answer.failed', { ...facts, direct: of(a), reason })", ['direct']],
])('a field that the log would remove fails the check: %s', (call, unknown) => {
  const log = { path: 'shared/runtime/log.ts', text: "const LOG_FIELDS = [\n  'reason',\n] as const;\n" };
  expect(findUnknownLogFields([code(call), log])).toEqual(
    unknown.map((name) => expect.stringContaining(`has the field ${name},`)),
  );
});
