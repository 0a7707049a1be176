import { retry } from '../../utils/index.ts';
import type {
  DeleteItemCommandInput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  QueryCommandInput,
  QueryCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';

/**
 * The five single-item operations that this system uses. Implementations: signed requests (`fetchDynamo`),
 * the AWS SDK where memory and start do not decide the price of an answer (`createSdkDynamo`), and memory for the fault simulation. No transactions, and no use of the item that a failed condition returns.
 * The client repeats writes without a response, and recognizes its own: see `withWriteIds`.
 */
export interface Dynamo {
  get(input: GetItemCommandInput): Promise<Pick<GetItemCommandOutput, 'Item'>>;
  put(input: PutItemCommandInput): Promise<void>;
  update(input: UpdateItemCommandInput): Promise<Pick<UpdateItemCommandOutput, 'Attributes'>>;
  delete(input: DeleteItemCommandInput): Promise<void>;
  query(input: QueryCommandInput): Promise<Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'>>;
}

/** The condition of a write did not hold. All implementations throw this class. */
export class ConditionFailedError extends Error {
  override readonly name = 'ConditionFailedError';
  /** The client sent the write more than once: an earlier attempt may have taken effect. */
  readonly wasRepeated: boolean;

  constructor(wasRepeated = false, options?: ErrorOptions) {
    super('the condition did not hold', options);
    this.wasRepeated = wasRepeated;
  }
}

const MAX_CONFLICT_ATTEMPTS = 5;

/**
 * Repeats an action that reads an item, then writes it under the condition that it is unchanged. Rejects with
 * `ConditionFailedError` after five conflicts.
 */
export function retryConflict<Value>(action: (attempt: number) => Promise<Value>): Promise<Value> {
  return retry(
    action,
    (error, attempt) =>
      error instanceof ConditionFailedError && attempt < MAX_CONFLICT_ATTEMPTS ? 0 : undefined,
    () => Promise.resolve(),
  );
}

/** Awaits a conditional write. Resolves with false if its condition did not hold; rejects with other errors. */
export async function isConditionMet(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailedError) return false;
    throw error;
  }
}

/**
 * Scans a table page by page. The only operation that reads more than it needs; one task of the deployment at a
 * time may use it, see `ScanLease`.
 */
export type TableScan = (
  input: ScanCommandInput,
) => Promise<Pick<ScanCommandOutput, 'Items' | 'LastEvaluatedKey' | 'ConsumedCapacity'>>;
