import type { Dynamo } from '../../shared/storage/index.ts';
import { withRepeatableWrites } from '../../shared/storage/dynamodb/write-ids.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { Processes } from './processes.ts';
import { type SeededBug, storeWith, tablesWith } from './seeded-bugs.ts';

/** Returns the tables as one process reaches them: each request is a point of the plan. */
export function faultyTables(processes: Processes, memory: MemoryDynamo, mutant?: SeededBug): () => Dynamo {
  const store = storeWith(mutant, memory);
  /** What the seeded bug treats as deleted: a second pass does not repeat the deletion. */
  const believedDeleted = new Set<string>();
  return () =>
    tablesWith(
      mutant,
      withRepeatableWrites({
        get: (input) => processes.call(`get ${input.TableName}`, () => memory.get(input)),
        put: (input) => processes.call(`put ${input.TableName}`, () => store.put(input)),
        update: (input) => processes.call(`update ${input.TableName}`, () => store.update(input)),
        delete: async (input) => {
          const key = JSON.stringify(input.Key);
          if (believedDeleted.has(key)) return;
          const deleting = processes.call(`delete ${input.TableName}`, () => memory.delete(input));
          await (mutant === 'a failed deletion counts as done'
            ? deleting.catch(() => void believedDeleted.add(key))
            : deleting);
        },
        query: (input) => processes.call(`query ${input.TableName}`, () => memory.query(input)),
      }),
    );
}
