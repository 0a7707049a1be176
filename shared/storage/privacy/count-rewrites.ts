import { estimateBytes } from '../keys/item-size.ts';
import type { QuotedTextConfig } from './remove-quoted-text.ts';

type UpdateInput = Parameters<QuotedTextConfig['dynamo']['update']>[0];

/** The write units of an update, estimated as for a deletion: DynamoDB bills the item before or after, whichever is larger. */
function estimateUpdateUnits({ ExpressionAttributeValues: values = {} }: UpdateInput): number {
  const sizes = Object.values(values).map((value) => estimateBytes([{ value }]));
  return 2 + Math.max(0, ...sizes) / 1_024;
}

/**
 * Counts what an erasure writes to items that stay, and to those that a pointer leads to: no page contains them as items to delete. `units`
 * returns the write units so far, estimated; of a deleted item without its size.
 */
export function countRewrites(config: QuotedTextConfig): {
  readonly config: QuotedTextConfig;
  readonly units: () => number;
} {
  let units = 0;
  const { dynamo } = config;
  const counting: QuotedTextConfig['dynamo'] = {
    get: (input) => dynamo.get(input),
    query: (input) => dynamo.query(input),
    update: (input) => {
      units += estimateUpdateUnits(input);
      return dynamo.update(input);
    },
    delete: (input) => {
      units += 2;
      return dynamo.delete(input);
    },
  };
  return { config: { ...config, dynamo: counting }, units: () => units };
}
