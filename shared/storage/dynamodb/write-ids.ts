import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ConditionFailedError, type Dynamo } from './dynamo.ts';

/** The attribute with the id of the last conditional write of an item. */
export const WRITE_ID = 'writeid';

/**
 * 48 random bits: an item has the ids of a few writes, and two of them must differ. From the end of a UUID, because Node
 * reads random bytes for many UUIDs at a time.
 */
const createWriteId = (): string => randomUUID().slice(-12);

type Item = Record<string, AttributeValue>;
type Writes = Pick<Dynamo, 'get' | 'put' | 'update'>;

/**
 * Makes a client recognize its own writes. Clients repeat a write whose response was lost. If the first attempt took
 * effect, the condition of the second one no longer holds, and an increment counts twice. So each conditional write and
 * each increment stores an id in the item, on condition that the item does not have this id. If a repeated write fails
 * its condition, the item is read: with this id, the write succeeded, and the item is its result.
 *
 * Costs 19 bytes per item, and a read unit after a repeated write whose condition failed. Limit: if another process
 * changed the item between the attempts, the repetition is a write like any other: it fails its condition, or an
 * increment counts twice. What must not count twice even then has a condition of its own: see `countOnce`.
 */
function withWriteIds<Client extends Writes>(client: Client, createId = createWriteId): Client {
  /** Returns the item if the write with this id was the last one. */
  const findOwn = async (table: string | undefined, key: Item, id: string): Promise<Item | undefined> => {
    const { Item } = await client.get({ TableName: table, Key: key, ConsistentRead: true });
    return Item?.[WRITE_ID]?.S === id ? Item : undefined;
  };
  return {
    ...client,
    async put(input) {
      if (input.ConditionExpression === undefined) return client.put(input);
      const { TableName, Item = {} } = input;
      const id = createId();
      try {
        await client.put({ ...input, Item: { ...Item, [WRITE_ID]: { S: id } } });
      } catch (error) {
        if (!isRepeated(error) || !(await findOwn(TableName, itemKey(Item), id))) throw error;
      }
    },
    async update(input) {
      if (!needsId(input)) return client.update(input);
      const id = createId();
      try {
        return await client.update(withId(input, id));
      } catch (error) {
        const own = isRepeated(error) && (await findOwn(input.TableName, input.Key ?? {}, id));
        if (!own) throw error;
        return { Attributes: own };
      }
    },
  };
}

/** Like `withWriteIds`, for all writes: a repeated deletion whose condition failed succeeded if the item is gone. */
export function withRepeatableWrites(client: Dynamo, createId?: () => string): Dynamo {
  return {
    ...withWriteIds(client, createId),
    async delete(input) {
      try {
        await client.delete(input);
      } catch (error) {
        if (!isRepeated(error)) throw error;
        const { TableName, Key } = input;
        if ((await client.get({ TableName, Key, ConsistentRead: true })).Item) throw error;
      }
    },
  };
}

type Update = Parameters<Dynamo['update']>[0];

const isRepeated = (error: unknown): boolean => error instanceof ConditionFailedError && error.wasRepeated;

/** An update without a condition and without an increment can be repeated. */
const needsId = ({ ConditionExpression, UpdateExpression = '' }: Update): boolean =>
  ConditionExpression !== undefined || /[+-] :/u.test(UpdateExpression);

const ID_CONDITION = '(attribute_not_exists(#writeid) OR #writeid <> :writeid)';

function withId(input: Update, id: string): Update {
  const { ConditionExpression: condition, UpdateExpression: change = '' } = input;
  return {
    ...input,
    UpdateExpression: withAssignment(change),
    // DynamoDB rejects parentheses around a whole condition.
    ConditionExpression:
      condition === undefined ? ID_CONDITION.slice(1, -1) : `(${condition}) AND ${ID_CONDITION}`,
    ExpressionAttributeNames: { ...input.ExpressionAttributeNames, '#writeid': WRITE_ID },
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':writeid': { S: id } },
  };
}

const SET_CLAUSE = /\bSET .*?(?= (?:REMOVE|ADD|DELETE) |$)/u;
const ASSIGNMENT = '#writeid = :writeid';

/** Adds the assignment to the `SET` clause. Expressions have keywords in capitals, and attributes in small letters. */
function withAssignment(change: string): string {
  const assigned = change.replace(SET_CLAUSE, (clause) => `${clause}, ${ASSIGNMENT}`);
  return assigned === change ? `SET ${ASSIGNMENT} ${change}` : assigned;
}

/** Returns the key of an item. */
export const itemKey = ({ pk, sk }: Item): Item => ({ ...(pk && { pk }), ...(sk && { sk }) });
