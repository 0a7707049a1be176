import { createVerifier } from '../../shared/platforms/discord/inbound/verify.ts';
import { applicationKeys } from '../platforms/discord/keys.ts';
import { median } from './bare-node.ts';
import type { Row } from './report-table.ts';

const ROUNDS = 400;
const BODY = Buffer.alloc(2_000, 'x');
const NOW_S = 1_790_000_000;

/**
 * The difference in time between refusing an invalid signature (missing, odd, not hex) and checking a valid one: a
 * difference would help an attacker. Interleaved, so that all see the same load.
 */
export function signatureWork(): Row[] {
  const { publicKey, headers } = applicationKeys();
  const holds = createVerifier(publicKey);
  const good = headers(BODY, NOW_S);
  const times = ['missing', 'odd', 'no hex'].map((): number[] => []);
  const bad = ['', 'ab'.repeat(63), 'zz'.repeat(64)];
  const took = (signature: string | undefined): number => {
    const forged: Record<string, string | undefined> = { ...good, 'x-signature-ed25519': signature };
    const from = performance.now();
    holds(BODY, (name) => forged[name], NOW_S * 1_000);
    return performance.now() - from;
  };
  const right = Array.from({ length: ROUNDS }, () => {
    bad.forEach((signature, i) => times[i]?.push(took(signature)));
    return took(good['x-signature-ed25519']);
  });
  const ratios = times.map((each) => median(each) / median(right));
  return [
    {
      what: 'Discord front: refusing a signature that is none, in checks of a good one, least',
      value: Math.min(...ratios),
      unit: 'x',
      least: 0.7,
    },
    { what: 'Discord front: the same, most', value: Math.max(...ratios), unit: 'x', limit: 1.3 },
  ];
}
