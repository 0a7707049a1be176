import { afterAll, beforeAll } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import { repeatWrites } from '../fakes/repeated-writes.ts';
import { listSuites, listSuitesOnTables } from './suites-on-tables.ts';

// All tests of storage again, with each write performed twice: the first response was lost, and the client repeated the
// write. They pass, so the result of a repeated write is that of one write.

beforeAll(() => repeatWrites(true));
afterAll(() => repeatWrites(false));

/** Tests of the clients and of the repetition itself, and of large tables. */
const EXCLUDED = /^(?:dynamodb\/|repeated-writes|person-|wait-queue-item)/u;

repeatWrites(true);
const suites = process.env['DYNAMODB_ENDPOINT'] === undefined ? listSuites() : listSuitesOnTables();
for (const path of suites)
  if (!EXCLUDED.test(path)) await import(`${pathToFileURL(`${import.meta.dirname}/${path}`).href}?repeated`);
