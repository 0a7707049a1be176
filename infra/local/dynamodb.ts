import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import dynalite from 'dynalite';
import * as z from 'zod/mini';
import { listen } from './listen.ts';
import type { Table } from './inventory.ts';
import type { Undo } from './undo.ts';

/** A table is ready within milliseconds, or its creation was interrupted for good. */
const ATTEMPT_EVERY_MS = 5;
const ATTEMPTS = 600;

const Keys = z.object({
  TableStatus: z.optional(z.string()),
  KeySchema: z.array(z.object({ AttributeName: z.string() })),
  GlobalSecondaryIndexes: z.optional(z.array(z.object({ IndexName: z.string() }))),
});
const Description = z.object({ Table: Keys });
const Refusal = z.object({ __type: z.string() });

/**
 * Starts DynamoDB on a free port of loopback with its files in `directory`, creates the tables that are not there
 * yet, and returns its address. Throws when a table of that name has other keys: another version made it.
 */
export async function startTables(directory: string, tables: readonly Table[], undo: Undo): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
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
  undo.push(() => closeTables(server));
  await Promise.all(tables.map((table) => createTable(endpoint, table, directory)));
  return endpoint;
}

async function createTable(endpoint: string, table: Table, directory: string): Promise<void> {
  const { name, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes: indexes } = table;
  const found = await call(endpoint, 'DescribeTable', { TableName: name });
  if (found.status === 200) {
    const { Table: present } = Description.parse(found.body);
    if (keysOf(present) === keysOf(table)) return await untilActive(endpoint, name);
    throw new Error(
      `The table ${name} in ${directory} was made by another version. Choose another folder with --data, or delete it.`,
    );
  }
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

/** A table takes nothing before it is active, which it becomes a moment after its creation was answered. */
async function untilActive(endpoint: string, name: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { body } = await call(endpoint, 'DescribeTable', { TableName: name });
    if (Description.parse(body).Table.TableStatus === 'ACTIVE') return;
    await wait(ATTEMPT_EVERY_MS);
  }
  throw new Error(
    `The table ${name} was not made to the end. Delete the data folder, or choose another with --data.`,
  );
}

/** What may not change in a table that exists: its keys, and which indexes it has. */
function keysOf({
  KeySchema,
  GlobalSecondaryIndexes = [],
}: Pick<z.infer<typeof Keys>, 'KeySchema' | 'GlobalSecondaryIndexes'>): string {
  const keys = KeySchema.map((key) => key.AttributeName);
  return JSON.stringify([keys, GlobalSecondaryIndexes.map((index) => index.IndexName).toSorted()]);
}

/** One request without the AWS client, whose loading would take longer than everything else here. */
function call(
  endpoint: string,
  operation: string,
  input: unknown,
): Promise<{ status: number; body: unknown }> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': '20260101T000000Z',
    authorization: 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none',
  };
  return new Promise((resolve, reject) => {
    const sent = request(endpoint, { method: 'POST', headers, timeout: 10_000, agent: false }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('DynamoDB did not answer')));
    sent.once('error', reject);
    sent.end(JSON.stringify(input));
  });
}

function closeTables(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
