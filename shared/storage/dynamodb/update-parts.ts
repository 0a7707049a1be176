import { hash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Longer than a client repeats a write, and than the clocks of two processes differ. */
const PERIOD_MS = 10_000;
const PERIODS = 4;

/** The parts of an update that is made once per id. */
type CountOnce = {
  /** All of these must hold. */
  readonly conditions: readonly string[];
  readonly add: string;
  readonly remove: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, AttributeValue>>;
};

/**
 * Makes an update count once per id, even if other processes change the item between two attempts. The ids are kept in
 * the item for 10 to 20 s at least, in a set per period of 10 s: the last period, the current one, and the next one for
 * processes whose clock is ahead. The set of the period before is removed.
 */
export function countOnce(id: string, now: number): CountOnce {
  const period = Math.floor(now / PERIOD_MS);
  const attribute = (offset: number): string => `counted${(period + offset + PERIODS) % PERIODS}`;
  const short = hash('sha256', id, 'base64url').slice(0, 8);
  return {
    conditions: ['#counted', '#countedBefore', '#countedNext'].map(
      (name) => `NOT contains(${name}, :counted)`,
    ),
    add: '#counted :countedSet',
    remove: '#countedOld',
    names: {
      '#counted': attribute(0),
      '#countedBefore': attribute(-1),
      '#countedNext': attribute(1),
      '#countedOld': attribute(2),
    },
    values: { ':counted': { S: short }, ':countedSet': { SS: [short] } },
  };
}

/** Further changes in the write of a bucket, with their conditions. */
export type ExtraWrite = {
  /** All of these must hold. */
  readonly conditions?: readonly string[] | undefined;
  /** Further assignments of `SET`. */
  readonly set?: readonly string[] | undefined;
  /** Further clauses: `ADD …`, `DELETE …`, `REMOVE …`. */
  readonly clauses?: readonly string[] | undefined;
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly values?: Readonly<Record<string, AttributeValue>> | undefined;
};

/** Combines several changes into one write. */
export function mergeWrites(...all: readonly ExtraWrite[]): ExtraWrite {
  return {
    conditions: all.flatMap(({ conditions = [] }) => conditions),
    set: all.flatMap(({ set = [] }) => set),
    clauses: all.flatMap(({ clauses = [] }) => clauses),
    names: joinRecords(all.map(({ names }) => names)),
    values: joinRecords(all.map(({ values }) => values)),
  };
}

function joinRecords<Value>(
  records: readonly (Readonly<Record<string, Value>> | undefined)[],
): Record<string, Value> {
  const joined: Record<string, Value> = {};
  for (const record of records) Object.assign(joined, record);
  return joined;
}

/** Joins clauses with the same keyword: DynamoDB accepts each keyword once. */
export function joinClauses(clauses: readonly string[]): string {
  const byKeyword = new Map<string, string[]>();
  for (const clause of clauses) {
    const [keyword = ''] = clause.split(' ', 1);
    byKeyword.set(keyword, [...(byKeyword.get(keyword) ?? []), clause.slice(keyword.length + 1)]);
  }
  return [...byKeyword].map(([keyword, parts]) => `${keyword} ${parts.join(', ')}`).join(' ');
}

/** The write is made once per id. */
export function writeOnce(id: string, now: number): ExtraWrite {
  const { conditions, add, remove, names, values } = countOnce(id, now);
  return { conditions, clauses: [`ADD ${add}`, `REMOVE ${remove}`], names, values };
}
