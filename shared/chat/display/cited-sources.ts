import type { Source, TurnOutcome } from '../../domain/index.ts';
import { withoutNotice } from './notices.ts';

/** Brackets in code are no citations: `list[1]`. */
const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/gu;
/** `[2]`, `[1, 3]`, `[1-3]`, and the brackets of some models: `【2】`, `【2†source】`. */
const CITATION = /\[\s?(\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,9})\s?\]|【(\d{1,3})(?:†[^】\n]{0,60})?】/gu;

/** Returns the numbers that a text cites. */
function findCitedNumbers(text: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const [, list, single] of text.replaceAll(CODE, '').matchAll(CITATION)) {
    for (const part of (list ?? single ?? '').split(/[,;]/u)) {
      const [first = 0, last = first] = part.split(/[–-]/u).map(Number);
      // A longer range is none: years, pages.
      for (let number = first; number <= Math.min(last, first + 20); number += 1) numbers.add(number);
    }
  }
  return numbers;
}

/**
 * Returns the pages that an answer cites, by number. Found in what is stored, so the links are the same after a restart, and follow the
 * words when the answer changes.
 */
export function listCitedSources(outcome: TurnOutcome): readonly Source[] {
  if (outcome.kind === 'failed') return [];
  const pages = (outcome.toolCalls ?? []).flatMap(({ search }) => search?.results ?? []);
  if (pages.length === 0) return [];
  const cited = findCitedNumbers(withoutNotice(outcome));
  const byNumber = new Map(pages.map((source) => [source.number, source]));
  return [...byNumber.values()]
    .filter(({ number }) => cited.has(number))
    .toSorted((a, b) => a.number - b.number);
}
