export { indexPassages, type PassageIndex, SHARDS, getShard, toShards } from './index-passages.ts';
export { type IndexedDocument, rankPassages } from './rank-passages.ts';
export { MAX_PASSAGES, type Passage, splitIntoPassages, type TextPage } from './split-text.ts';
export { listSearchedTerms, listTerms } from './terms.ts';
