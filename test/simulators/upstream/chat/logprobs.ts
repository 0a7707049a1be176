import { createRandom, hash } from '../random.ts';
import type { Logprob, TokenLogprob } from './completion.ts';

/** Log probabilities of each token, with `top` alternatives, the likeliest first; they sum to less than one. */
export function logprobsOf(tokens: readonly string[], top: number): TokenLogprob[] {
  return tokens.map((token, at) => {
    const sure = 0.6 + 0.35 * createRandom(hash(token, at))();
    const alternatives = Array.from({ length: top }, (_, rank) => {
      const share = rank === 0 ? sure : ((1 - sure) * 0.9) / 2 ** rank;
      return one(rank === 0 ? token : `${token}~${rank}`, share);
    });
    return { ...one(token, sure), top_logprobs: alternatives };
  });
}

function one(token: string, probability: number): Logprob {
  return { token, logprob: Math.log(probability), bytes: [...Buffer.from(token)] };
}
