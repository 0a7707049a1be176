import { AwsError, type AwsCall } from '../../shared/aws/aws-request.ts';
import { ConditionFailedError, type Dynamo } from '../../shared/storage/index.ts';
import { getField } from '../../shared/storage/dynamodb/json-protocol.ts';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';

/** What the fronts reach by signed requests: tables, queues, keys and secrets, in memory. */
export type SimulatedAws = {
  readonly tables: Dynamo;
  readonly send: (queue: 'tasks' | 'voice', body: string, group: string, dedup: string) => Promise<void>;
  readonly secrets: Readonly<Record<string, object>>;
  /** Runs the function that talks to MCP servers; absent where no workspace has one. */
  readonly invoke?: ((event: unknown) => Promise<unknown>) | undefined;
};

const message = v.object({
  QueueUrl: v.string(),
  MessageBody: v.string(),
  MessageGroupId: v.string(),
  MessageDeduplicationId: v.string(),
});
const sealing = v.object({ Plaintext: v.string(), EncryptionContext: v.object({ about: v.string() }) });
const opening = v.object({ CiphertextBlob: v.string(), EncryptionContext: v.object({ about: v.string() }) });
const sealed = v.object({ about: v.string(), text: v.string() });

export function awsClientFor({ tables, send, secrets, invoke }: SimulatedAws): AwsCall {
  return async ({ service, target, input }) => {
    const payload: unknown = JSON.parse(input);
    switch (service) {
      case 'dynamodb':
        return ofTables(tables, target, payload);
      case 'sqs': {
        const { QueueUrl, MessageBody, MessageGroupId, MessageDeduplicationId } = v.parse(message, payload);
        const queue = QueueUrl.includes('voice') ? 'voice' : 'tasks';
        await send(queue, MessageBody, MessageGroupId, MessageDeduplicationId);
        return {};
      }
      case 'kms':
        return ofKeys(target, payload);
      case 'secretsmanager': {
        const id = getField(payload, 'SecretId');
        const secret = typeof id === 'string' ? secrets[id] : undefined;
        if (!secret) throw new AwsError(target, 400, 'ResourceNotFoundException');
        return { SecretString: JSON.stringify(secret) };
      }
      case 'xray':
        return {};
      case 'lambda':
        if (invoke) return invoke(payload);
        throw new AwsError(target, 404, 'ResourceNotFoundException');
    }
  };
}

/** As KMS: a ciphertext decrypts only with its encryption context. */
function ofKeys(target: string, payload: unknown): object {
  if (target.endsWith('Encrypt')) {
    const { Plaintext: text, EncryptionContext } = v.parse(sealing, payload);
    const blob = JSON.stringify({ about: EncryptionContext.about, text });
    return { CiphertextBlob: Buffer.from(Buffer.from(blob).toString('hex')).toString('base64') };
  }
  const { CiphertextBlob, EncryptionContext } = v.parse(opening, payload);
  const hex = Buffer.from(CiphertextBlob, 'base64').toString();
  const { about, text } = v.parse(sealed, JSON.parse(Buffer.from(hex, 'hex').toString()));
  if (about !== EncryptionContext.about) throw new AwsError(target, 400, 'InvalidCiphertextException');
  return { Plaintext: text };
}

async function ofTables(tables: Dynamo, target: string, input: unknown): Promise<unknown> {
  const request = fromJson(input);
  if (!isInput(request)) throw new Error('no input of DynamoDB');
  try {
    const operation: string = target.split('.')[1] ?? '';
    switch (operation) {
      case 'GetItem':
        return toJson(await tables.get({ Key: {}, ...request }));
      case 'PutItem':
        return (await tables.put({ Item: {}, ...request })) ?? {};
      case 'UpdateItem':
        return toJson(await tables.update({ Key: {}, ...request }));
      case 'DeleteItem':
        return (await tables.delete({ Key: {}, ...request })) ?? {};
      case 'Query':
        return toJson(await tables.query(request));
      default:
        throw new Error(`no such operation: ${target}`);
    }
  } catch (error) {
    if (error instanceof ConditionFailedError)
      throw new AwsError(target, 400, 'ConditionalCheckFailedException');
    throw error;
  }
}

type Input = Readonly<{ TableName: string }>;
const isInput = (input: unknown): input is Input => typeof getField(input, 'TableName') === 'string';

/** The JSON protocol encodes binary values as base64. */
function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === 'B' && typeof only[1] === 'string') {
    const binary: AttributeValue = { B: new Uint8Array(Buffer.from(only[1], 'base64')) };
    return binary;
  }
  return Object.fromEntries(entries.map(([key, inner]) => [key, fromJson(inner)]));
}
