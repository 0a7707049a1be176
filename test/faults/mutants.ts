import type { Dynamo } from '../../shared/store/index.ts';
import { ConditionFailed } from '../../shared/store/index.ts';

/** Bugs of the kind that the protocol is there to exclude. A simulation that does not notice one proves nothing. */
export type Mutant =
  /** Writes are accepted from whoever comes, also from a worker that was overtaken. */
  | 'no fence'
  /** A message that is on record is taken to be on the queue. */
  | 'mark before enqueue'
  /** A successor does not look for what its predecessor posted. */
  | 'post without finding it again'
  /** Nobody looks again later. */
  | 'no reconcile';

export const MUTANTS: readonly Mutant[] = [
  'no fence',
  'mark before enqueue',
  'post without finding it again',
  'no reconcile',
];

export function withoutFence(store: Dynamo): Dynamo {
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

/** Tells of a record that was there before. */
export function noticing(store: Dynamo, onRecord: () => void): Dynamo {
  return {
    ...store,
    put: async (input) => {
      try {
        await store.put(input);
      } catch (error) {
        if (error instanceof ConditionFailed) onRecord();
        throw error;
      }
    },
  };
}
