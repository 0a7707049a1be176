import type { ConsumedCapacity, DynamoDB } from '@aws-sdk/client-dynamodb';
import { PERSON_INDEX } from '../../shared/runtime/shared-names.ts';
import type { Dynamo } from '../../shared/storage/index.ts';

/** Counts the units of the requests that pass through `metered`. */
export class Meter {
  writes = 0;
  reads = 0;
  reset(): void {
    this.writes = 0;
    this.reads = 0;
  }
}

const ask = { ReturnConsumedCapacity: 'TOTAL' } as const;

/** A client that adds the units of each request to `meter`. */
export function metered(client: DynamoDB, meter: Meter): Dynamo {
  const written = <T extends { ConsumedCapacity?: ConsumedCapacity | undefined }>(answer_: T): T => {
    meter.writes += answer_.ConsumedCapacity?.CapacityUnits ?? NaN;
    return answer_;
  };
  const read = <T extends { ConsumedCapacity?: ConsumedCapacity | undefined }>(answer_: T): T => {
    meter.reads += answer_.ConsumedCapacity?.CapacityUnits ?? NaN;
    return answer_;
  };
  return {
    get: async (input) => read(await client.getItem({ ...input, ...ask })),
    put: async (input) => {
      written(await client.putItem({ ...input, ...ask }));
      // An index takes one more unit for each item in it. dynalite, unlike DynamoDB, does not count it.
      if (input.Item?.[PERSON_INDEX.partition]) meter.writes += 1;
    },
    update: async (input) => written(await client.updateItem({ ...input, ...ask })),
    delete: async (input) => void written(await client.deleteItem({ ...input, ...ask })),
    query: async (input) => read(await client.query({ ...input, ...ask })),
  };
}
