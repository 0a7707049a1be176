import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Evidence } from './rows.ts';

/** Records what the current test ran, in the file that `PARLEY_CONFORMANCE_TO` names, if any. */
export function recordEvidence(kind: Evidence): void {
  const file = process.env['PARLEY_CONFORMANCE_TO'];
  const { currentTestName: test } = expect.getState();
  if (file === undefined || test === undefined) return;
  appendFileSync(file, `${JSON.stringify({ test, kind })}\n`);
}
