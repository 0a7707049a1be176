import { createDynamoCall, type DynamoCallOptions } from '../../shared/aws/index.ts';
import type { AwsAccess } from '../../shared/runtime/index.ts';
import { type Dynamo, fetchDynamo, fetchScan, type TableScan } from '../../shared/storage/index.ts';

type Config = { readonly aws: AwsAccess };

const OPTIONS: DynamoCallOptions = { maxAttempts: 3, attemptMs: 3_000 };
/** Nobody waits for a scan. */
const SCAN_OPTIONS: DynamoCallOptions = { maxAttempts: 5, attemptMs: 10_000 };

const clients = new WeakMap<Config, Dynamo>();

/** The only DynamoDB client of a function, so that it has one set of connections. */
export function getDynamo(config: Config): Dynamo {
  const client = clients.get(config) ?? createDynamo(config);
  clients.set(config, client);
  return client;
}

/** Sets the client that `getDynamo` returns. Call it before anything else is built. */
export function setDynamo(config: Config, dynamo: Dynamo): void {
  clients.set(config, dynamo);
}

/** The DynamoDB client of a worker. Fronts have one with shorter timeouts. */
export const createDynamo = ({ aws }: Config, options = OPTIONS): Dynamo =>
  fetchDynamo(createDynamoCall(aws, options));

export const createScan = ({ aws }: Config): TableScan => fetchScan(createDynamoCall(aws, SCAN_OPTIONS));
