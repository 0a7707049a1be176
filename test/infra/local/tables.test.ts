import { describe, expect, test } from '@jest/globals';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startTables } from '../../../infra/local/emulator/dynamodb/dynamodb.ts';
import { runCleanup } from '../../../infra/local/cleanup.ts';
import { scratch, SAMPLE_TEMPLATE } from './sample-template.ts';

const credentials = { accessKeyId: 'LOCALKEY', secretAccessKey: 'local' };
const clientOf = (address: string) =>
  new DynamoDBClient({ region: 'us-east-1', credentials, endpoint: address });

describe('the tables', () => {
  const table = { name: 'Notes', ...SAMPLE_TEMPLATE.Resources.Notes.Properties } as const;
  const tables = [
    {
      ...table,
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'open',
          KeySchema: [{ AttributeName: 'open', KeyType: 'HASH' as const }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    },
  ];

  test('survive a client that disconnects during a request', async () => {
    const folder = scratch();
    const undo: Parameters<typeof runCleanup>[0] = [];
    const address = await startTables(join(folder.directory, 'dynamodb'), tables, undo);
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"half"');
    // The server has the head by the time it has responded on another connection.
    expect((await fetch(address)).status).toBe(200);
    socket.resetAndDestroy();
    await once(socket, 'close');
    expect((await fetch(address)).status).toBe(200);
    await runCleanup(undo);
    folder.remove();
  });

  test('refuse what the policies do not allow the role of a function, and note it', async () => {
    const folder = scratch();
    const undo: Parameters<typeof runCleanup>[0] = [];
    const notes: string[] = [];
    const notesTable = 'arn:aws:dynamodb:us-east-1:000000000000:table/Notes';
    const permissions = {
      Writer: [{ actions: ['dynamodb:PutItem'], resources: [notesTable] }],
      Searcher: [{ actions: ['dynamodb:Query'], resources: [`${notesTable}/index/open`] }],
    };
    const check = { permissions, note: (line: string) => void notes.push(line) };
    const endpoint = await startTables(join(folder.directory, 'dynamodb'), tables, undo, { check });
    const as = (sessionToken?: string) =>
      new DynamoDBClient({
        region: 'us-east-1',
        credentials: { ...credentials, ...(sessionToken !== undefined && { sessionToken }) },
        endpoint,
      });
    const put = new PutItemCommand({ TableName: 'Notes', Item: { pk: { S: 'a' }, open: { S: 'o' } } });
    const get = new GetItemCommand({ TableName: 'Notes', Key: { pk: { S: 'a' } } });
    const query = {
      TableName: 'Notes',
      KeyConditionExpression: '#o = :o',
      ExpressionAttributeNames: { '#o': 'open' },
      ExpressionAttributeValues: { ':o': { S: 'o' } },
    };
    const inIndex = new QueryCommand({ ...query, IndexName: 'open' });
    await as('Writer').send(put);
    expect((await as('Searcher').send(inIndex)).Count).toBe(1);
    expect((await as().send(get)).Item).toBeDefined();
    const denied = { name: 'AccessDeniedException' };
    await expect(as('Writer').send(get)).rejects.toMatchObject(denied);
    await expect(as('Writer').send(inIndex)).rejects.toMatchObject(denied);
    await expect(as('Searcher').send(new QueryCommand(query))).rejects.toMatchObject(denied);
    // Of several tables.
    const batch = new BatchGetItemCommand({ RequestItems: { Notes: { Keys: [{ pk: { S: 'a' } }] } } });
    await expect(as('Writer').send(batch)).rejects.toMatchObject(denied);
    await expect(as('Nobody').send(get)).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    expect(notes).toEqual([
      `Writer is not authorized to perform: dynamodb:GetItem on resource: ${notesTable}`,
      `Writer is not authorized to perform: dynamodb:Query on resource: ${notesTable}/index/open`,
      `Searcher is not authorized to perform: dynamodb:Query on resource: ${notesTable}`,
      'Writer is not authorized to perform: dynamodb:BatchGetItem on resource: *',
      'The security token included in the request is invalid.',
    ]);
    await runCleanup(undo);
    folder.remove();
  });

  test('reject requests of pages in a browser, whatever their origin', async () => {
    const folder = scratch();
    const undo: Parameters<typeof runCleanup>[0] = [];
    const address = await startTables(join(folder.directory, 'dynamodb'), tables, undo);
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.Scan',
      'x-amz-date': '20260101T000000Z',
      authorization: 'AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host, Signature=x',
    };
    const scan = (from: Record<string, string>, method = 'POST') =>
      fetch(address, {
        method,
        headers: { ...headers, ...from },
        ...(method === 'POST' && { body: '{"TableName":"Notes"}' }),
      }).then(
        ({ status }) => status,
        () => 'hung up',
      );
    expect(await scan({})).toBe(200);
    // A page of another site sends a preflight; one with a rebound DNS name need not.
    expect(await scan({ origin: 'https://elsewhere.example' }, 'OPTIONS')).toBe('hung up');
    expect(await scan({ origin: 'https://elsewhere.example' })).toBe('hung up');
    expect(await scan({})).toBe(200);
    await runCleanup(undo);
    folder.remove();
  });

  test('are created once, and keep their items over a restart', async () => {
    const folder = scratch();
    const directory = join(folder.directory, 'dynamodb');
    for (const round of [1, 2]) {
      const undo: Parameters<typeof runCleanup>[0] = [];
      const client = new DynamoDBClient({
        region: 'us-east-1',
        credentials,
        endpoint: await startTables(directory, tables, undo),
      });
      if (round === 1) {
        await client.send(
          new PutItemCommand({
            TableName: 'Notes',
            Item: { pk: { S: 'a' }, open: { S: 'o' }, text: { S: 'kept' } },
          }),
        );
      }
      const { Item } = await client.send(new GetItemCommand({ TableName: 'Notes', Key: { pk: { S: 'a' } } }));
      expect(Item?.['text']?.S).toBe('kept');
      const open = {
        TableName: 'Notes',
        IndexName: 'open',
        KeyConditionExpression: '#o = :o',
        ExpressionAttributeNames: { '#o': 'open' },
        ExpressionAttributeValues: { ':o': { S: 'o' } },
      };
      expect((await client.send(new QueryCommand(open))).Items).toEqual([
        { pk: { S: 'a' }, open: { S: 'o' } },
      ]);
      client.destroy();
      await runCleanup(undo);
    }
    const undo: Parameters<typeof runCleanup>[0] = [];
    const changed = tables.map((one) => ({
      ...one,
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' as const }],
    }));
    await expect(startTables(directory, changed, undo)).rejects.toThrow('created by another version');
    await runCleanup(undo);
    folder.remove();
  });

  test.each([
    'without interruption',
    'interrupted before the table was deleted',
    'interrupted after the table was deleted',
  ])('are rebuilt with their items when an index is new: %s', async (how) => {
    const folder = scratch();
    const directory = join(folder.directory, 'dynamodb');
    const before = tables.map((one) => ({
      ...one,
      AttributeDefinitions: one.AttributeDefinitions.filter((of) => of.AttributeName === 'pk'),
      GlobalSecondaryIndexes: [],
    }));
    const copies = before.map((one) => ({ ...one, name: 'Notes.copy' }));
    const tablesBefore = { whole: before, 'interrupted after the table was deleted': copies }[how] ?? [
      ...before,
      ...copies,
    ];
    let undo: Parameters<typeof runCleanup>[0] = [];
    let notes = clientOf(await startTables(directory, tablesBefore, undo));
    for (let n = 0; n < 30; n += 1) {
      const Item = { pk: { S: `a${n}` }, open: { S: 'o' }, text: { B: new Uint8Array([n]) } };
      const TableName = how === 'interrupted after the table was deleted' ? 'Notes.copy' : 'Notes';
      await notes.send(new PutItemCommand({ TableName, Item }));
    }
    notes.destroy();
    await runCleanup(undo);
    for (const _round of [1, 2]) {
      undo = [];
      notes = clientOf(await startTables(directory, tables, undo));
      const open = {
        TableName: 'Notes',
        IndexName: 'open',
        KeyConditionExpression: '#o = :o',
        ExpressionAttributeNames: { '#o': 'open' },
        ExpressionAttributeValues: { ':o': { S: 'o' } },
      };
      expect((await notes.send(new QueryCommand(open))).Items).toHaveLength(30);
      const { Item } = await notes.send(new GetItemCommand({ TableName: 'Notes', Key: { pk: { S: 'a7' } } }));
      expect(Item?.['text']?.B).toEqual(new Uint8Array([7]));
      notes.destroy();
      await runCleanup(undo);
    }
    folder.remove();
  });
});
