import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createAwsCall } from '../../../shared/aws/aws-request.ts';
import { ConditionFailedError } from '../../../shared/storage/dynamodb/dynamo.ts';
import { fetchDynamo } from '../../../shared/storage/dynamodb/fetch-client.ts';
import { withRepeatableWrites } from '../../../shared/storage/dynamodb/write-ids.ts';
import { awsServer } from '../../runtime/aws.ts';

const item = {
  pk: { S: 'Ärger 🎈' },
  n: { N: '123456789012345678' },
  b: { B: new Uint8Array([0, 255, 1]) },
  flag: { BOOL: false },
  none: { NULL: true },
  words: { SS: ['a', 'b'] },
  numbers: { NS: ['1'] },
  blobs: { BS: [new Uint8Array([7])] },
  list: { L: [{ S: 'x' }, { M: { deep: { L: [] } } }] },
};
const wire = {
  ...item,
  b: { B: 'AP8B' },
  blobs: { BS: ['Bw=='] },
};
const Key = { pk: { S: 'p' } };
const put = { TableName: 't', Item: item, ConditionExpression: 'attribute_not_exists(pk)' };

/** A request without the random id of its write. */
const withoutIds = (body: string): unknown =>
  JSON.parse(body.replace(/"writeid":\{"S":"[^"]{12}"\}/u, '"writeid":"an id"'));

const refusing = (code: string) =>
  fetchDynamo(() => Promise.reject(Object.assign(new Error(code), { code })));

let server: Awaited<ReturnType<typeof awsServer>>;
beforeAll(async () => {
  server = await awsServer({
    status: 200,
    body: JSON.stringify({ Item: wire, Attributes: wire, Items: [wire], LastEvaluatedKey: Key, More: 1 }),
  });
});
afterAll(() => server.close());

describe('the DynamoDB client with signed requests', () => {
  test('sends the same requests as the AWS SDK', async () => {
    const { access, requests } = server;
    const client = new DynamoDB({
      region: access.region,
      credentials: access.credentials,
      endpoint: access.endpoints.dynamodb ?? '',
    });
    const sdk = withRepeatableWrites({
      get: (input) => client.getItem(input),
      put: async (input) => void (await client.putItem(input)),
      update: (input) => client.updateItem(input),
      delete: async (input) => void (await client.deleteItem(input)),
      query: (input) => client.query(input),
    });
    const sent = [];
    for (const dynamo of [sdk, fetchDynamo(createAwsCall(access))]) {
      requests.length = 0;
      await dynamo.put(put);
      await dynamo.get({ TableName: 't', Key, ConsistentRead: true });
      await dynamo.update({
        TableName: 't',
        Key,
        UpdateExpression: 'SET a = :a',
        ExpressionAttributeValues: { ':a': item.b },
      });
      await dynamo.delete({ TableName: 't', Key });
      await dynamo.query({
        TableName: 't',
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': Key.pk },
      });
      sent.push(requests.map(({ headers, body }) => [headers['x-amz-target'], withoutIds(body)]));
    }
    expect(sent[0]).toHaveLength(5);
    expect(sent[1]).toEqual(sent[0]);
  });

  test('reads every attribute type', async () => {
    const dynamo = fetchDynamo(createAwsCall(server.access));
    expect(await dynamo.get({ TableName: 't', Key })).toEqual({ Item: item });
    expect(await dynamo.update({ TableName: 't', Key })).toEqual({ Attributes: item });
    expect(await dynamo.query({ TableName: 't' })).toEqual({ Items: [item], LastEvaluatedKey: Key });
  });

  test('distinguishes a failed condition from other failures', async () => {
    await expect(refusing('ConditionalCheckFailedException').put(put)).rejects.toBeInstanceOf(
      ConditionFailedError,
    );
    await expect(refusing('ValidationException').put(put)).rejects.not.toBeInstanceOf(ConditionFailedError);
  });

  test('rejects a response of another shape', async () => {
    const dynamo = fetchDynamo(() => Promise.resolve({ Item: { pk: { X: 1 } } }));
    await expect(dynamo.get({ TableName: 't', Key })).rejects.toMatchObject({
      name: 'InvalidDynamoResponseError',
    });
  });
});
