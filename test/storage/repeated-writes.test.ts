import { afterAll, beforeAll } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { repeatWrites } from '../fakes/repeated-writes.ts';

// All tests of storage again, with each write performed twice: the first response was lost, and the client repeated the
// write. They pass, so the result of a repeated write is that of one write.

beforeAll(() => repeatWrites(true));
afterAll(() => repeatWrites(false));

/** Tests of the clients and of the repetition itself, and of large tables. */
const EXCLUDED = /^(?:dynamodb\/|repeated-writes|person-|wait-queue-item)/u;

repeatWrites(true);
for (const file of await readdir(import.meta.dirname, { recursive: true }))
  if (file.endsWith('.test.ts') && !EXCLUDED.test(file))
    await import(`${pathToFileURL(`${import.meta.dirname}/${file}`).href}?repeated`);
