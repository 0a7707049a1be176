import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All suites of this folder, by their paths in it. */
export const listSuites = (): string[] =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'))
    .toSorted();

/** The suites with tables on a DynamoDB (`startTables`), by their paths in this folder. All others keep theirs in memory. */
export const listSuitesOnTables = (): string[] =>
  listSuites().filter((path) =>
    readFileSync(join(import.meta.dirname, path), 'utf8').includes("/fakes/tables.ts'"),
  );
