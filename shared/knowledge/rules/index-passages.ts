import type { Passage } from './split-text.ts';
import { listTerms } from './terms.ts';

/**
 * The inverted index of one document. `postings`: for each term, pairs of a passage (its position) and how often the term occurs there, in one flat
 * list. `lengths`: the number of terms of each passage.
 */
export type PassageIndex = {
  readonly postings: ReadonlyMap<string, readonly number[]>;
  readonly lengths: readonly number[];
};

/** The number of parts into which the index of a document is divided, by terms: a search reads only the parts of its terms. */
export const SHARDS = 16;

/** Indexes the passages of a document. The terms of its title count in each of them. */
export function indexPassages(title: string, passages: readonly Passage[]): PassageIndex {
  const postings = new Map<string, number[]>();
  const titleTerms = listTerms(title);
  const lengths = passages.map(({ text }, position) => {
    const terms = [...titleTerms, ...listTerms(text)];
    for (const term of terms) {
      const list = postings.get(term) ?? [];
      postings.set(term, list);
      if (list.at(-2) === position) list[list.length - 1] = (list.at(-1) ?? 0) + 1;
      else list.push(position, 1);
    }
    return terms.length;
  });
  return { postings, lengths };
}

/** Returns the part of the index with a term: FNV-1a, which is stored and never changes. */
export function getShard(term: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < term.length; i += 1) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01_00_01_93);
  return (hash >>> 0) % SHARDS;
}

/** Divides postings into parts. Parts without terms are left out. */
export function toShards(
  postings: PassageIndex['postings'],
): ReadonlyMap<number, Readonly<Record<string, readonly number[]>>> {
  const shards = new Map<number, Map<string, readonly number[]>>();
  for (const [term, list] of postings) {
    const shard = shards.get(getShard(term)) ?? new Map<string, readonly number[]>();
    shards.set(getShard(term), shard.set(term, list));
  }
  return new Map([...shards].map(([shard, terms]) => [shard, Object.fromEntries(terms)]));
}
