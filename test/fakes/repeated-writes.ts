import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo, isConditionMet } from '../../shared/storage/dynamodb/dynamo.ts';
import { WRITE_ID, withRepeatableWrites } from '../../shared/storage/dynamodb/write-ids.ts';

/**
 * Performs each write twice: the first response is lost, and the client repeats the write, as the AWS SDK does. `between`:
 * what other processes do between the attempts.
 */
export function repeatingWrites(
  client: Dynamo,
  between: () => Promise<void> = async () => undefined,
): Dynamo {
  const repeat = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    await isConditionMet(write());
    await between();
    try {
      return await write();
    } catch (error) {
      throw error instanceof ConditionFailedError ? new ConditionFailedError(true) : error;
    }
  };
  return {
    ...client,
    put: (input) => repeat(() => client.put(input)),
    update: (input) => repeat(() => client.update(input)),
    delete: (input) => repeat(() => client.delete(input)),
  };
}

let isRepeating = false;

/** From now on, the tables of tests perform each write twice. */
export function repeatWrites(on: boolean): void {
  isRepeating = on;
}

type Item = Record<string, AttributeValue>;

/** What tests expect of items does not include ids of writes. */
export function withoutWriteId(item: Item): Item {
  const { [WRITE_ID]: _, ...rest } = item;
  return rest;
}

/** The client of a test: `once`, or one that performs each write of `raw` twice. */
export function clientForTest(raw: Dynamo, once: Dynamo = raw): Dynamo {
  if (!isRepeating) return once;
  const client = withRepeatableWrites(repeatingWrites(raw));
  return {
    ...client,
    async get(input) {
      const { Item: item } = await client.get(input);
      return item ? { Item: withoutWriteId(item) } : {};
    },
    async update(input) {
      const { Attributes } = await client.update(input);
      return Attributes ? { Attributes: withoutWriteId(Attributes) } : {};
    },
    async query(input) {
      const page = await client.query(input);
      return { ...page, ...(page.Items && { Items: page.Items.map(withoutWriteId) }) };
    },
  };
}
