import { mkdirSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import dynalite from 'dynalite';
import * as z from 'zod/mini';
import { listen } from '../../listen.ts';
import { call } from './table-call.ts';
import { compactTables, removeExpired } from './table-files.ts';
import { copyItems, copyNameOf } from './table-rebuild.ts';
import type { Table } from '../../template/template-resources.ts';
import type { Cleanup } from '../../cleanup.ts';

/** A table is ready within milliseconds, or its creation was interrupted for good. */
const ATTEMPT_INTERVAL_MS = 5;
const ATTEMPTS = 600;

const Keys = z.object({
  TableStatus: z.optional(z.string()),
  KeySchema: z.array(z.object({ AttributeName: z.string() })),
  GlobalSecondaryIndexes: z.optional(z.array(z.object({ IndexName: z.string() }))),
});
const Description = z.object({ Table: Keys });
const Refusal = z.object({ __type: z.string() });

/**
 * Starts DynamoDB on a free port of loopback with its files in `directory`, which lose what was removed, creates the tables that are not there
 * yet, and returns its address. Throws when a table of that name has other keys: another version made it.
 */
export async function startTables(
  directory: string,
  tables: readonly Table[],
  undo: Cleanup,
): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await compactTables(directory);
  const server = dynalite({ path: directory, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  // dynalite lets every page of every site read and write, and browsers tell of each page that asks.
  server.prependListener('request', (incoming: IncomingMessage) => {
    if (incoming.headers.origin !== undefined) incoming.destroy();
  });
  // dynalite throws when a caller goes in mid-request, as a function does that is stopped: that would end everything.
  server.on('request', (incoming: IncomingMessage) => {
    incoming.removeAllListeners('error').on('error', () => {});
  });
  const endpoint = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  undo.push(async () => {
    await closeTables(server);
    await compactTables(directory);
  });
  await Promise.all(tables.map((table) => createTable(endpoint, table, directory)));
  await Promise.all(tables.map((table) => removeExpired(endpoint, table)));
  return endpoint;
}

/**
 * Creates a table that is not there. One that lacks an index, made by an earlier version, is made anew with what it held: dynalite
 * adds no index to a table. Broken off anywhere, the next start goes on: the copy counts once the table itself is gone.
 */
async function createTable(endpoint: string, table: Table, directory: string): Promise<void> {
  const { name } = table;
  const copy = { ...table, name: copyNameOf(name) };
  const [present, copied] = [await describe(endpoint, name), await describe(endpoint, copy.name)];
  if (present && keysOf(present) !== keysOf(table))
    throw new Error(
      `The table ${name} in ${directory} was made by another version. Choose another folder with --data, or delete it.`,
    );
  if (present && lacksNone(present, table)) {
    await untilActive(endpoint, name);
    if (copied) await restoreCopy(endpoint, copy.name, name);
    return;
  }
  if (present) {
    if (!copied) await make(endpoint, copy);
    await copyItems(endpoint, name, copy.name);
    await remove(endpoint, name);
  }
  await make(endpoint, table);
  if (present ?? copied) await restoreCopy(endpoint, copy.name, name);
}

async function restoreCopy(endpoint: string, copy: string, name: string): Promise<void> {
  await untilActive(endpoint, copy);
  await copyItems(endpoint, copy, name);
  await remove(endpoint, copy);
}

async function describe(endpoint: string, name: string): Promise<z.infer<typeof Keys> | undefined> {
  const { status, body } = await call(endpoint, 'DescribeTable', { TableName: name });
  return status === 200 ? Description.parse(body).Table : undefined;
}

async function make(endpoint: string, table: Table): Promise<void> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes: indexes } = table;
  const made = await call(endpoint, 'CreateTable', {
    TableName: name,
    AttributeDefinitions,
    KeySchema,
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    BillingMode: 'PAY_PER_REQUEST',
  });
  if (made.status !== 200) {
    const type = Refusal.safeParse(made.body);
    throw new Error(
      `The table ${name} could not be created: ${type.success ? type.data.__type : made.status}`,
    );
  }
  await untilActive(endpoint, name);
}

/** Deletes a table, and waits until its name is free. */
async function remove(endpoint: string, name: string): Promise<void> {
  await untilActive(endpoint, name);
  await call(endpoint, 'DeleteTable', { TableName: name });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (!(await describe(endpoint, name))) return;
    await wait(ATTEMPT_INTERVAL_MS);
  }
  throw new Error(`The table ${name} was not deleted to the end.`);
}

/** A table takes nothing before it is active, which it becomes a moment after its creation was answered. */
async function untilActive(endpoint: string, name: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { body } = await call(endpoint, 'DescribeTable', { TableName: name });
    if (Description.parse(body).Table.TableStatus === 'ACTIVE') return;
    await wait(ATTEMPT_INTERVAL_MS);
  }
  throw new Error(
    `The table ${name} was not made to the end. Delete the data folder, or choose another with --data.`,
  );
}

/** What may not change in a table that exists. */
function keysOf({ KeySchema }: Pick<z.infer<typeof Keys>, 'KeySchema'>): string {
  return JSON.stringify(KeySchema.map((key) => key.AttributeName));
}

/** Whether a table has all the indexes that it should have. One too many, of a later version, does no harm. */
function lacksNone(present: z.infer<typeof Keys>, { GlobalSecondaryIndexes }: Table): boolean {
  const names = new Set((present.GlobalSecondaryIndexes ?? []).map((index) => index.IndexName));
  return GlobalSecondaryIndexes.every((index) => names.has(index.IndexName));
}

function closeTables(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
