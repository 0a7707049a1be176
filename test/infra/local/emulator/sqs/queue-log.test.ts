import { expect, test } from '@jest/globals';
import { parseLogLine } from '../../../../../infra/dashboard/index.ts';
import { NO_JOURNAL } from './no-journal.ts';
import { createQueueLog } from '../../../../../infra/local/emulator/sqs/queue-log.ts';
import { Queues } from '../../../../../infra/local/emulator/sqs/queues.ts';
import type { QueueRules } from '../../../../../infra/local/template/resource-types.ts';

const rules = { retentionMs: 1e9, contentDedup: false, dedupScope: 'queue', visibilityMs: 1_000 } as const;
const RULES: QueueRules[] = [
  { ...rules, name: 'dead.fifo' },
  { ...rules, name: 'q.fifo', deadLetters: { queue: 'dead.fifo', maxReceives: 2 } },
];
const NOW = 1_700_000_000_000;

function harness() {
  const lines: string[] = [];
  let [now, ids] = [NOW, 0];
  const log = createQueueLog({ write: (name, line) => void lines.push(`${name} ${line}`) }, () => now);
  const queues = new Queues(
    RULES,
    NO_JOURNAL,
    [],
    () => now,
    () => `id${(ids += 1)}`,
    log,
  );
  const records = () => lines.map((line) => parseLogLine('queues', line.replace(/^queues /u, '')));
  return { queues, lines, records, pass: (ms: number) => void (now += ms) };
}

const thread = { platform: 'slack', workspace: 'T1', channel: 'C1', root: '1.5' };
const task = JSON.stringify({
  v: 1,
  kind: 'ask',
  thread,
  message: '1.5',
  question: 'a secret question',
  asker: 'U1',
});
const message = {
  body: task,
  group: 'g',
  dedup: 'd',
  trace: 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0',
};

test('the log has each change of a task with its trace and message, and nothing of what people write', () => {
  const { queues, lines, records } = harness();
  queues.send('q.fifo', message);
  const [received] = queues.receive('q.fifo', 10);
  queues.delete('q.fifo', received?.receipt ?? '');
  const trace = '1-5759e988-bd862e3fe1be46a994272793';
  const facts = { name: 'q.fifo', messageId: 'id1', kind: 'ask', message: '1.5', ...thread };
  const record = { at: NOW, source: 'queues', level: 'info', trace };
  expect(records()).toEqual([
    { ...record, event: 'task.enqueued', facts },
    { ...record, event: 'task.received', facts: { ...facts, receives: 1 } },
    { ...record, event: 'task.deleted', facts },
  ]);
  expect(lines.join('\n')).not.toMatch(/secret|U1/u);
});

test('a duplicate is not logged, and a move to the dead letters is a warning', () => {
  const { queues, records, pass } = harness();
  queues.send('q.fifo', message);
  queues.send('q.fifo', message);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    queues.receive('q.fifo', 10);
    pass(1_001);
  }
  expect(records().map((one) => [one?.event, one?.level, one?.facts['receives']])).toEqual([
    ['task.enqueued', 'info', undefined],
    ['task.received', 'info', 1],
    ['task.received', 'info', 2],
    ['task.moved', 'warn', undefined],
  ]);
});

test('a message that is no task is logged by its id alone', () => {
  const { queues, records } = harness();
  queues.send('q.fifo', { ...message, body: 'not JSON', trace: undefined });
  queues.send('q.fifo', { ...message, body: '{"kind":5}', dedup: 'e' });
  expect(records().map((one) => one?.facts)).toEqual([
    { name: 'q.fifo', messageId: 'id1' },
    { name: 'q.fifo', messageId: 'id2' },
  ]);
});
