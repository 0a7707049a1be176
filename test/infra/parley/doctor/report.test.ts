import { expect, test } from '@jest/globals';
import { styleText } from 'node:util';
import type { Check } from '../../../../infra/configuration/index.ts';
import { formatJson, formatTable } from '../../../../infra/parley/doctor/report.ts';

const CHECKS: readonly Check[] = [
  { name: 'Node', result: 'pass', finding: 'is 24.21.0.' },
  { name: 'SLACK_BOT_TOKEN', result: 'fail', finding: 'Slack refuses xoxb-secret.', fix: 'Copy it again.' },
  { name: 'Slack app', result: 'warn', finding: 'lacks an event.', fix: 'Add it.' },
  { name: 'AWS', result: 'skip', finding: 'no credentials.' },
];
const PLAIN = { hasColors: false, secrets: ['xoxb-secret'] };

test('the table has a line for each check, the fix below it, and the counts', () => {
  expect(formatTable(CHECKS, PLAIN)).toEqual([
    'pass  Node             is 24.21.0.',
    'FAIL  SLACK_BOT_TOKEN  Slack refuses (hidden).',
    '                       Copy it again.',
    'WARN  Slack app        lacks an event.',
    '                       Add it.',
    'skip  AWS              no credentials.',
    '',
    '1 failed, 1 warnings, 1 passed, 1 skipped.',
  ]);
});

test('a terminal with colors shows results in colors', () => {
  const fail = styleText('red', 'FAIL', { validateStream: false });
  expect(fail).not.toBe('FAIL');
  expect(formatTable(CHECKS, { ...PLAIN, hasColors: true })[1]).toBe(
    `${fail}  SLACK_BOT_TOKEN  Slack refuses (hidden).`,
  );
});

test('JSON has each check, and says whether one failed', () => {
  expect(JSON.parse(formatJson(CHECKS, PLAIN))).toEqual({
    ok: false,
    checks: [
      { name: 'Node', result: 'pass', finding: 'is 24.21.0.', fix: null },
      { name: 'SLACK_BOT_TOKEN', result: 'fail', finding: 'Slack refuses (hidden).', fix: 'Copy it again.' },
      { name: 'Slack app', result: 'warn', finding: 'lacks an event.', fix: 'Add it.' },
      { name: 'AWS', result: 'skip', finding: 'no credentials.', fix: null },
    ],
  });
  expect(JSON.parse(formatJson(CHECKS.slice(0, 1), PLAIN))).toMatchObject({ ok: true });
});
