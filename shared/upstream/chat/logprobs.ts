import { isObject, asArray, asNumber } from '../http/json.ts';
import type { TokenLogprob } from '../chat-types.ts';

/** Parses the entries of a choice's `logprobs`. Empty when they were not requested (null). */
export function parseLogprobs(value: unknown): TokenLogprob[] {
  if (!isObject(value)) return [];
  return asArray(value['content']).flatMap((entry): TokenLogprob[] => {
    const token = parseToken(entry);
    if (token === undefined || !isObject(entry)) return [];
    return [
      {
        ...token,
        top: asArray(entry['top_logprobs']).flatMap((alternative) => parseToken(alternative) ?? []),
      },
    ];
  });
}

function parseToken(entry: unknown): { token: string; logprob: number } | undefined {
  if (!isObject(entry) || typeof entry['token'] !== 'string') return undefined;
  const logprob = asNumber(entry['logprob']);
  return logprob === undefined ? undefined : { token: entry['token'], logprob };
}
