import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { countOnce } from '../dynamodb/count-once.ts';

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
    names: Object.fromEntries(all.flatMap(({ names = {} }) => Object.entries(names))),
    values: Object.fromEntries(all.flatMap(({ values = {} }) => Object.entries(values))),
  };
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
