import type { Dynamo } from '../../shared/storage/index.ts';
import type { Item } from '../fakes/dynamo-parser.ts';
import type { InfraClients, System } from './system.ts';

/** A bug of the kind that isolation must prevent. A simulation that does not detect it proves nothing. */
export type SeededBug = {
  readonly name: string;
  /** The infrastructure clients with the bug. */
  readonly ground?: (ground: InfraClients) => InfraClients;
  /** The entry points and the worker context with the bug. */
  readonly system?: (system: System, now: () => number) => System;
};

/** Tables that store items under other keys. */
export const rekeyed =
  (rename: Rename, renameSortKey: Rename = (sk) => sk) =>
  (ground: InfraClients): InfraClients => ({
    ...ground,
    dynamo: elsewhere(ground.dynamo, rename, renameSortKey),
  });

/** Tables that give these items instead of those that they have. */
export const givingItems =
  (change: (item: Item) => Item) =>
  (ground: InfraClients): InfraClients => ({
    ...ground,
    dynamo: {
      ...ground.dynamo,
      get: async (input) => {
        const { Item: item, ...rest } = await ground.dynamo.get(input);
        return { ...rest, Item: item && change(item) };
      },
    },
  });

type Rename = (key: string) => string;

function elsewhere(tables: Dynamo, rename: Rename, renameSortKey: Rename): Dynamo {
  const moved = (item: Item | undefined): Item => {
    const { pk, sk } = item ?? {};
    return {
      ...item,
      ...(pk?.S !== undefined && { pk: { S: rename(pk.S) } }),
      ...(sk?.S !== undefined && { sk: { S: renameSortKey(sk.S) } }),
    };
  };
  return {
    get: (input) => tables.get({ ...input, Key: moved(input.Key) }),
    put: (input) => tables.put({ ...input, Item: moved(input.Item) }),
    update: (input) => tables.update({ ...input, Key: moved(input.Key) }),
    delete: (input) => tables.delete({ ...input, Key: moved(input.Key) }),
    query: (input) => {
      const renamed: Item = {};
      for (const [name, value] of Object.entries(input.ExpressionAttributeValues ?? {}))
        renamed[name] = value.S === undefined ? value : { S: rename(value.S) };
      return tables.query({ ...input, ExpressionAttributeValues: renamed });
    },
  };
}

/** The worker context with this change. */
export const worker =
  (change: (context: System['context']) => Partial<System['context']>) =>
  (system: System): System => ({ ...system, context: { ...system.context, ...change(system.context) } });

/** The same object with one replaced method. */
export function changed<T extends object, K extends keyof T>(of: T, name: K, instead: T[K]): T {
  return new Proxy(of, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key === name) return instead;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => Reflect.apply(value, target, args);
    },
  });
}
