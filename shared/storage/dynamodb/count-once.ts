import { hash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** Longer than a client repeats a write, and than the clocks of two processes differ. */
const PERIOD_MS = 10_000;
const PERIODS = 4;

/** The parts of an update that is made once per id. */
export type CountOnce = {
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
