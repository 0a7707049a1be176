import { mkdirSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import dynalite from 'dynalite';
import * as v from 'valibot';
import { listen } from '../../listen.ts';
import { trackRequests } from './open-requests.ts';
import { checkPermissions, type PermissionCheck } from './permission-check.ts';
import type { RequestDelay } from './request-delay.ts';
import { callTable } from './table-call.ts';
import { compactTables, removeExpired } from './table-files.ts';
import { copyItems, getCopyName } from './table-rebuild.ts';
import type { Table } from '../../template/resource-types.ts';
import type { Cleanup } from '../../cleanup.ts';

/** A table becomes active within milliseconds, unless its creation was interrupted. */
const ATTEMPT_INTERVAL_MS = 5;
const MAX_ATTEMPTS = 600;
/** How long requests may take that run when the system ends. */
const MAX_CLOSE_WAIT_MS = 2_000;

const Keys = v.object({
  TableStatus: v.optional(v.string()),
  KeySchema: v.array(v.object({ AttributeName: v.string() })),
  GlobalSecondaryIndexes: v.optional(v.array(v.object({ IndexName: v.string() }))),
});
const Description = v.object({ Table: Keys });
const ErrorResponse = v.object({ __type: v.string() });

/**
 * Starts DynamoDB on a free loopback port with its files in `directory`, compacts the files, creates missing tables, and
 * returns its URL. Throws when a table with this name has other keys, because another version created it.
 */
export async function startTables(
  directory: string,
  tables: readonly Table[],
  undo: Cleanup,
  { delay, check }: { readonly delay?: RequestDelay; readonly check?: PermissionCheck } = {},
): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await compactTables(directory);
  const server = dynalite({ path: directory, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  // Before the listeners that are added below: they see a request before its body is read.
  if (check) checkPermissions(server, check);
  const requests = trackRequests(server);
  // dynalite allows cross-origin requests of any web page; browsers mark these with an Origin header.
  server.prependListener('request', (incoming: IncomingMessage) => {
    if (incoming.headers.origin !== undefined) incoming.destroy();
  });
  // dynalite throws when a client disconnects during a request, as a stopped function does; that would end the process.
  server.on('request', (incoming: IncomingMessage) => {
    incoming.removeAllListeners('error').on('error', () => {});
  });
  delay?.apply(server);
  const endpoint = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
  undo.push(async () => {
    await requests.finish(MAX_CLOSE_WAIT_MS);
    await closeTables(server);
    await compactTables(directory);
  });
  await Promise.all(tables.map((table) => createTable(endpoint, table, directory)));
  await Promise.all(tables.map((table) => removeExpired(endpoint, table)));
  return endpoint;
}

/**
 * Creates a missing table. A table of an earlier version without an index is recreated with its items, because dynalite
 * cannot add an index. An interrupted recreation is resumed at the next start: the copy counts once the table is deleted.
 */
async function createTable(endpoint: string, table: Table, directory: string): Promise<void> {
  const { name } = table;
  const copy = { ...table, name: getCopyName(name) };
  const [present, copied] = [await describe(endpoint, name), await describe(endpoint, copy.name)];
  if (present && serializeKeys(present) !== serializeKeys(table))
    throw new Error(
      `The table ${name} in ${directory} was created by another version. Choose another folder with --data, or delete it.`,
    );
  if (present && hasAllIndexes(present, table)) {
    await waitUntilActive(endpoint, name);
    if (copied) await restoreCopy(endpoint, copy.name, name);
    return;
  }
  if (present) {
    if (!copied) await createEmptyTable(endpoint, copy);
    await copyItems(endpoint, name, copy.name);
    await deleteTable(endpoint, name);
  }
  await createEmptyTable(endpoint, table);
  if (present ?? copied) await restoreCopy(endpoint, copy.name, name);
}

async function restoreCopy(endpoint: string, copy: string, name: string): Promise<void> {
  await waitUntilActive(endpoint, copy);
  await copyItems(endpoint, copy, name);
  await deleteTable(endpoint, copy);
}

async function describe(endpoint: string, name: string): Promise<v.InferOutput<typeof Keys> | undefined> {
  const { status, body } = await callTable(endpoint, 'DescribeTable', { TableName: name });
  return status === 200 ? v.parse(Description, body).Table : undefined;
}

async function createEmptyTable(endpoint: string, table: Table): Promise<void> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes: indexes } = table;
  const response = await callTable(endpoint, 'CreateTable', {
    TableName: name,
    AttributeDefinitions,
    KeySchema,
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
    BillingMode: 'PAY_PER_REQUEST',
  });
  if (response.status !== 200) {
    const type = v.safeParse(ErrorResponse, response.body);
    throw new Error(
      `The table ${name} could not be created: ${type.success ? type.output.__type : response.status}`,
    );
  }
  await waitUntilActive(endpoint, name);
}

/** Deletes a table and waits until its name is free. */
async function deleteTable(endpoint: string, name: string): Promise<void> {
  await waitUntilActive(endpoint, name);
  await callTable(endpoint, 'DeleteTable', { TableName: name });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (!(await describe(endpoint, name))) return;
    await wait(ATTEMPT_INTERVAL_MS);
  }
  throw new Error(`The table ${name} could not be deleted in time.`);
}

/** Waits until a table is active, shortly after its creation. */
async function waitUntilActive(endpoint: string, name: string): Promise<void> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { body } = await callTable(endpoint, 'DescribeTable', { TableName: name });
    if (v.parse(Description, body).Table.TableStatus === 'ACTIVE') return;
    await wait(ATTEMPT_INTERVAL_MS);
  }
  throw new Error(
    `The table ${name} did not become active in time. Delete the data folder, or choose another with --data.`,
  );
}

/** Returns the keys, which cannot change in an existing table. */
function serializeKeys({ KeySchema }: Pick<v.InferOutput<typeof Keys>, 'KeySchema'>): string {
  return JSON.stringify(KeySchema.map((key) => key.AttributeName));
}

/** Whether a table has all required indexes. An additional index of a later version is harmless. */
function hasAllIndexes(present: v.InferOutput<typeof Keys>, { GlobalSecondaryIndexes }: Table): boolean {
  const names = new Set((present.GlobalSecondaryIndexes ?? []).map((index) => index.IndexName));
  return GlobalSecondaryIndexes.every((index) => names.has(index.IndexName));
}

function closeTables(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
