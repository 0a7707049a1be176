import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogCollector } from '../../../../infra/local/dashboard/log-collector.ts';
import { openLogs } from '../../../../infra/local/functions/logs.ts';
import { scratch } from '../sample-template.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const line = (at: number, event: string) =>
  JSON.stringify({ timestamp: new Date(NOW + at).toISOString(), level: 'info', event });

let folder: ReturnType<typeof scratch>;
beforeEach(() => {
  folder = scratch();
});
afterEach(() => folder.remove());

/** A run of the system from `NOW + startedAt` on. */
function run(startedAt: number) {
  const directory = join(folder.directory, 'logs');
  const collector = createLogCollector(directory, () => NOW + startedAt);
  const logs = openLogs(directory, undefined, collector.observe);
  const events = async () => (await collector.list()).map(({ source, event }) => `${source} ${event}`);
  return { logs, events, directory };
}

test('the collector has the lines of this run, and those of earlier runs in the order of their time', async () => {
  const first = run(0);
  first.logs.write('Worker', line(2, 'answer.ended'));
  first.logs.write('SlackEvents', line(1, 'slack.accepted'));
  first.logs.note('plain words');
  const second = run(10);
  second.logs.write('Worker', line(11, 'task.failed'));
  const expected = ['SlackEvents slack.accepted', 'Worker answer.ended', 'Worker task.failed'];
  expect(await second.events()).toEqual(expected);
  second.logs.write('Worker', line(12, 'task.given-up'));
  expect(await second.events()).toEqual([...expected, 'Worker task.given-up']);
});

test('a rotated log file is read too, and only the end of a long one', async () => {
  const { directory } = run(0);
  const filler = `${'x'.repeat(1_000)}\n`.repeat(1_500);
  writeFileSync(
    join(directory, 'Worker.log.1'),
    `${line(1, 'answer.failed')}\n${filler}${line(2, 'answer.ended')}\n`,
  );
  writeFileSync(join(directory, 'Worker.log'), `${line(3, 'task.failed')}\n`);
  expect(await run(10).events()).toEqual(['Worker answer.ended', 'Worker task.failed']);
});
