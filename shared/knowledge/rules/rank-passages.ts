/** What is known of a document for one search: how long its passages are, and where the searched terms occur. */
export type IndexedDocument = {
  readonly id: string;
  readonly lengths: readonly number[];
  /** As in `PassageIndex`, for the searched terms only. */
  readonly postings: ReadonlyMap<string, readonly number[]>;
};

/** A passage that has at least one of the terms. */
export type RankedPassage = { readonly id: string; readonly position: number; readonly score: number };

/** The usual parameters of BM25: how soon repetitions of a word stop counting, and how much lower long passages rank. */
const K1 = 1.2;
const B = 0.75;
/** Passages that fit much worse than the best one are left out. */
const MIN_SHARE_OF_BEST = 0.2;

/**
 * Returns the passages that fit these terms best, the best first, at most `count` (BM25 over the passages of all documents, Robertson and Zaragoza
 * 2009). Equal ones are in the order of the documents.
 */
export function rankPassages(
  terms: readonly string[],
  documents: readonly IndexedDocument[],
  count: number,
): readonly RankedPassage[] {
  const total = documents.reduce((sum, { lengths }) => sum + lengths.length, 0);
  if (total === 0) return [];
  const averageLength =
    documents.reduce((sum, { lengths }) => sum + lengths.reduce((a, b) => a + b, 0), 0) / total;
  const weights = new Map(
    [...new Set(terms)].map((term) => {
      const occurrences = documents.reduce(
        (sum, { postings }) => sum + (postings.get(term)?.length ?? 0) / 2,
        0,
      );
      return [term, Math.log(1 + (total - occurrences + 0.5) / (occurrences + 0.5))] as const;
    }),
  );
  const ranked = documents.flatMap((document) => scorePassages(document, weights, averageLength));
  const best = ranked.toSorted((a, b) => b.score - a.score).slice(0, count);
  const min = (best[0]?.score ?? 0) * MIN_SHARE_OF_BEST;
  return best.filter(({ score }) => score >= min);
}

function scorePassages(
  { id, lengths, postings }: IndexedDocument,
  weights: ReadonlyMap<string, number>,
  averageLength: number,
): readonly RankedPassage[] {
  const scores = new Map<number, number>();
  for (const [term, weight] of weights) {
    const list = postings.get(term) ?? [];
    for (let i = 0; i + 1 < list.length; i += 2) {
      const [position = 0, frequency = 0] = [list[i], list[i + 1]];
      const length = lengths[position];
      // Not of this document: it is being replaced.
      if (length === undefined) continue;
      const saturation = K1 * (1 - B + (B * length) / averageLength);
      const score = (weight * frequency * (K1 + 1)) / (frequency + saturation);
      scores.set(position, (scores.get(position) ?? 0) + score);
    }
  }
  return [...scores].map(([position, score]) => ({ id, position, score }));
}
