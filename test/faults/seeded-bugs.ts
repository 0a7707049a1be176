import type { Platform } from '../../shared/platforms/ports/index.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { ConditionFailedError } from '../../shared/storage/index.ts';

/** Bugs of the kind that the protocol is there to exclude. A simulation that does not notice one proves nothing. */
export type SeededBug =
  /** Writes are accepted from whoever comes, also from a worker that was overtaken. */
  | 'no fence'
  /** A message that is on record is taken to be on the queue. */
  | 'mark before enqueue'
  /** A successor does not look for what its predecessor posted. */
  | 'post without finding it again'
  /** Nobody looks again later. */
  | 'no reconcile'
  /** A question that is on record is put on record again. */
  | 'a record is overwritten'
  /** What a call cost is booked as often as that arrives. */
  | 'a cost is booked twice'
  /** Slack is told that an event arrived although the queue refused it. */
  | 'a refused send is taken for done'
  /** Of what a dead worker left, what says itself whose it is is found, and nothing else. */
  | 'a stream without a mark is left alone'
  /** A stream of which nothing was heard may be one of any other answer. */
  | "another answer's message is taken for one's own"
  /** What a removed workspace leaves behind stays where a deletion failed. */
  | 'a deletion that fails is taken for done'
  /** An event whose place Discord did not name in that moment is dropped. */
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

/** The tables with the bug in how they are written to, if it is one of those. */
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

/** Slack with the bug in how messages are found, if it is one of those. */
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

/** Calls `onRecord` when a put fails because the record exists already. */
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
