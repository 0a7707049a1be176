import type { Platform } from '../../shared/platforms/ports/index.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { ConditionFailedError } from '../../shared/storage/index.ts';

/** Bugs that the protocol must prevent. A simulation that does not detect one proves nothing. */
export type SeededBug =
  /** Writes are accepted from every worker, also from one that lost its lease. */
  | 'no fence'
  /** A recorded message is assumed to be queued. */
  | 'mark before enqueue'
  /** The next worker does not search for the posts of the previous one. */
  | 'post without finding it again'
  /** There are no reconcile passes. */
  | 'no reconcile'
  /** A recorded question is recorded again. */
  | 'a record is overwritten'
  /** The cost of a request is booked at each arrival. */
  | 'a cost is booked twice'
  /** Slack gets a 200 although the queue refused the task. */
  | 'a refused send is taken for done'
  /** Only messages with the metadata of the turn are found after a worker died. */
  | 'a stream without a mark is left alone'
  /** A stream without a response may belong to any other answer. */
  | "another answer's message is taken for one's own"
  /** Data of a removed workspace stays where a deletion failed. */
  | 'a deletion that fails is taken for done'
  /** An event is dropped when Discord does not return its channel at that time. */
  | 'what the relay cannot look up is passed over';

export const SEEDED_BUGS: readonly SeededBug[] = [
  'no fence',
  'mark before enqueue',
  'post without finding it again',
  'no reconcile',
  'a record is overwritten',
  'a cost is booked twice',
  'a refused send is taken for done',
  'a stream without a mark is left alone',
  "another answer's message is taken for one's own",
  'a deletion that fails is taken for done',
  'what the relay cannot look up is passed over',
];

export const ignore = (): void => undefined;

/** The tables with the bug in their writes, if it is one of those. */
export function storeWith(mutant: SeededBug | undefined, store: Dynamo): Dynamo {
  if (mutant === 'no fence') return withoutFence(store);
  if (mutant === 'a record is overwritten')
    return { ...store, put: (input) => store.put({ ...input, ConditionExpression: undefined }) };
  if (mutant === 'a cost is booked twice')
    return withConditions(store, ['attribute_exists(#hold)', 'attribute_exists(pk)']);
  return store;
}

function withConditions(store: Dynamo, [is, becomes]: readonly [string, string]): Dynamo {
  return {
    ...store,
    update: (input) =>
      store.update({ ...input, ConditionExpression: input.ConditionExpression?.replace(is, becomes) }),
  };
}

/** Slack with the bug in the search for messages, if it is one of those. */
export function platformWith(mutant: SeededBug | undefined, platform: Platform): Platform {
  if (mutant === 'post without finding it again')
    return { ...platform, findOrphanedMessages: () => Promise.resolve({ ofTurn: [], unattributed: [] }) };
  if (mutant === 'a stream without a mark is left alone')
    return {
      ...platform,
      findOrphanedMessages: async (turn) => ({
        ...(await platform.findOrphanedMessages(turn)),
        unattributed: [],
      }),
    };
  if (mutant === "another answer's message is taken for one's own")
    return {
      ...platform,
      reply: (turn, existing, about) => platform.reply(turn, existing, { ...about, others: undefined }),
    };
  return platform;
}

function withoutFence(store: Dynamo): Dynamo {
  return {
    ...store,
    update: (input) =>
      store.update(
        input.ConditionExpression?.includes(':fence')
          ? { ...input, ConditionExpression: 'attribute_exists(pk) OR fence = :fence' }
          : input,
      ),
  };
}

/** Calls `onRecord` when a put fails because the record exists. */
export function onDuplicatePut(store: Dynamo, onRecord: () => void): Dynamo {
  return {
    ...store,
    put: async (input) => {
      try {
        await store.put(input);
      } catch (error) {
        if (error instanceof ConditionFailedError) onRecord();
        throw error;
      }
    },
  };
}
