import { isObject, listOf, numberOf } from '../http/json.ts';
import type { TokenLogprob } from './types.ts';

/** The entries of a choice's `logprobs`; none when they were not asked for (null). */
export function logprobsOf(value: unknown): TokenLogprob[] {
  if (!isObject(value)) return [];
  return listOf(value['content']).flatMap((entry): TokenLogprob[] => {
    const own = tokenOf(entry);
    if (own === undefined || !isObject(entry)) return [];
    return [
      { ...own, top: listOf(entry['top_logprobs']).flatMap((alternative) => tokenOf(alternative) ?? []) },
    ];
  });
}

function tokenOf(entry: unknown): { token: string; logprob: number } | undefined {
  if (!isObject(entry) || typeof entry['token'] !== 'string') return undefined;
  const logprob = numberOf(entry['logprob']);
  return logprob === undefined ? undefined : { token: entry['token'], logprob };
}
