import { describe, expect, test } from '@jest/globals';
import { ENTRY_POINTS } from './entry-points.ts';
import { type EntryPoint, faultOf } from './entry-point.ts';
import { runBlock } from './run-block.ts';

/** A fixed share of `npm run inputs`, without measuring time. */
const watch = { begin: () => undefined, limitMs: undefined };
const BLOCKS = 12;

describe('invalid inputs break nothing, and nothing is written without authentication', () => {
  test.each(ENTRY_POINTS)('$name', async (entry) => {
    for (let block = 0; block < BLOCKS; block += 1)
      expect(await runBlock(entry, 0, block, watch)).toEqual([]);
  });
});

test('the shares of the entry points add up to 100', () => {
  expect(ENTRY_POINTS.reduce((sum, { share }) => sum + share, 0)).toBe(100);
});

/** Changes Object.prototype, as an assignment through `__proto__` would. */
const pollutes: EntryPoint['open'] = () => async () => {
  const inherited: object = Reflect.getPrototypeOf({}) ?? {};
  Reflect.defineProperty(inherited, 'polluted', { value: 1, configurable: true });
  return undefined;
};

/** The first random numbers of the inputs. */
async function drawn(seed: number): Promise<number[]> {
  const all: number[] = [];
  const open: EntryPoint['open'] = (random) => async () => void all.push(random());
  await runBlock({ name: 'b', share: 0, open }, seed, 5, watch, 3);
  return all;
}

describe('violations are detected, with a seed to replay them', () => {
  const broken: readonly (readonly [string, EntryPoint['open'], RegExp])[] = [
    ['what throws', () => () => Promise.reject(new SyntaxError('no')), /it threw SyntaxError/],
    [
      'a failure of the server',
      () => async () => faultOf({ statusCode: 503, body: '' }, undefined, 0),
      /status 503/,
    ],
    ['no answer', () => async () => faultOf(undefined, false, 0), /no answer/],
    ['a write for a stranger', () => async () => faultOf({ statusCode: 401 }, false, 1), /1 calls to AWS/],
    [
      'a stranger who is let in',
      () => async () => faultOf({ statusCode: 200 }, false, 0),
      /status 200 for an unknown/,
    ],
    ['Slack that is kept out', () => async () => faultOf({ statusCode: 401 }, true, 0), /good signature/],
  ];
  test.each(broken)('%s', async (_, open, wrong) => {
    const findings = await runBlock({ name: 'broken', share: 0, open }, 7, 3, watch, 2);
    expect(findings.map(({ replay }) => replay)).toEqual(['broken:7:3:0', 'broken:7:3:1']);
    expect(findings[0]?.wrong).toMatch(wrong);
  });

  test('a change of Object.prototype is detected', async () => {
    const findings = await runBlock({ name: 'broken', share: 0, open: pollutes }, 7, 3, watch, 1);
    Reflect.deleteProperty(Object.prototype, 'polluted');
    expect(findings[0]?.wrong).toMatch(/inherits was changed: polluted/);
  });

  test('a promise that never settles and an endless loop are detected', async () => {
    const measured = { begin: () => undefined, limitMs: 5 };
    const waits = await runBlock(
      { name: 'b', share: 0, open: () => () => new Promise(() => undefined) },
      1,
      0,
      measured,
      1,
    );
    expect(waits[0]?.wrong).toMatch(/does not come to an end/);
  });

  test('the same seed sends the same inputs', async () => {
    expect(await drawn(1)).toEqual(await drawn(1));
    expect(await drawn(1)).not.toEqual(await drawn(2));
  });
});
