import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FinishedParts } from './finished-parts.ts';

const part = { name: 'inputs', part: 3, wanted: 10, count: 10, failures: 0, seconds: 1 };

test('a finished part is found again after an interruption, and a failed or unfinished one is not', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'evidence-')), 'parts.jsonl');
  const before = new FinishedParts(path);
  expect(before.find('inputs', 3, 10)).toBeUndefined();
  before.add(part);
  before.add({ ...part, part: 4, failures: 1 });
  appendFileSync(path, '{"name":"inputs","part":5');
  const after = new FinishedParts(path);
  expect(after.find('inputs', 3, 10)).toEqual(part);
  expect([after.find('inputs', 3, 20), after.find('inputs', 4, 10), after.find('inputs', 5, 10)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
