import { describe, expect, test } from '@jest/globals';
import { type AwsCall, AwsError } from '../../shared/aws/aws-request.ts';
import {
  refreshRegularly,
  RELOADED_IF_REJECTED_TTL_MS,
  createSecretReader,
  listSigningSecrets,
  slackSigningSchema,
  InvalidSecretError,
} from '../../shared/aws/secrets.ts';

/** A fake of the service: `values` in turn, the last one for ever; `undefined` fails. */
function store(...values: (string | undefined)[]) {
  let calls = 0;
  const aws: AwsCall = async () => {
    const value = values[Math.min(calls, values.length - 1)];
    calls += 1;
    await Promise.resolve();
    if (value === undefined) throw new AwsError('GetSecretValue', 503, 'Unknown');
    return { SecretString: value };
  };
  const clock = { now: 0 };
  return {
    aws,
    clock,
    calls: () => calls,
    of: createSecretReader('arn', slackSigningSchema, { aws, now: () => clock.now }),
  };
}
const one = '{"current":"one"}';
const two = '{"current":"two","previous":"one"}';

describe('a secret', () => {
  test('is loaded once in five minutes', async () => {
    const { of, clock, calls } = store(one, two);
    expect(await of.load()).toEqual({ current: 'one' });
    clock.now = 299_999;
    expect(await of.load()).toEqual({ current: 'one' });
    clock.now = 300_000;
    expect(await of.load()).toEqual({ current: 'two', previous: 'one' });
    expect(calls()).toBe(2);
  });

  test('is loaded once in a quarter of an hour if an API rejects an old value', async () => {
    const { clock, aws, calls } = store(one, two);
    const of = createSecretReader('arn', slackSigningSchema, {
      aws,
      now: () => clock.now,
      ttlMs: RELOADED_IF_REJECTED_TTL_MS,
    });
    await of.load();
    clock.now = 899_999;
    expect(await of.load()).toEqual({ current: 'one' });
    clock.now = 900_000;
    expect(await of.load()).toMatchObject({ current: 'two' });
    expect(calls()).toBe(2);
  });

  test('is loaded once for concurrent callers', async () => {
    const { of, calls } = store(one);
    await Promise.all([of.load(), of.load(), of.refresh()]);
    expect(calls()).toBe(1);
  });

  test('is reloaded on demand', async () => {
    const { of } = store(one, two);
    await of.load();
    await of.refresh();
    expect(await of.load()).toMatchObject({ current: 'two' });
  });

  test('is used beyond its TTL while it cannot be reloaded, and is retried after half a minute', async () => {
    const { of, clock, calls } = store(one, undefined, two);
    await of.load();
    clock.now = 300_000;
    expect(await of.load()).toEqual({ current: 'one' });
    clock.now = 329_999;
    expect(await of.load()).toEqual({ current: 'one' });
    expect(calls()).toBe(2);
    clock.now = 330_000;
    expect(await of.load()).toMatchObject({ current: 'two' });
  });

  test('rejects if it was never loaded, and can be loaded later', async () => {
    const { of } = store(undefined, one);
    await expect(of.load()).rejects.toBeInstanceOf(AwsError);
    expect(await of.load()).toEqual({ current: 'one' });
  });

  test.each(['', 'no JSON', '"hush"', '{}', '{"current":7}', '{"current":"","previous":"hush"}'])(
    'of another shape (%s) is refused without showing it',
    async (value) => {
      const error: unknown = await store(value)
        .of.load()
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(InvalidSecretError);
      expect(String(error)).not.toMatch(/hush|no JSON/);
    },
  );
});

/** Timers that fire when told to. */
function timers() {
  const due: { run: () => void; ms: number }[] = [];
  const fire = async (): Promise<void> => {
    due.shift()?.run();
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };
  return { due, fire, schedule: (run: () => void, ms: number) => void due.push({ run, ms }) };
}
const none = (): void => undefined;

describe('a secret that is refreshed regularly', () => {
  test('is loaded immediately and every five minutes, however often it is read', async () => {
    const { of, calls } = store(one, two);
    const { schedule, due, fire } = timers();
    const current = refreshRegularly(of, { schedule, failed: none });
    expect(await Promise.all([current(), current()])).toEqual([{ current: 'one' }, { current: 'one' }]);
    expect({ calls: calls(), ms: due[0]?.ms }).toEqual({ calls: 1, ms: 300_000 });
    await fire();
    expect(await current()).toMatchObject({ current: 'two' });
    expect({ calls: calls(), ms: due[0]?.ms }).toEqual({ calls: 2, ms: 300_000 });
  });

  test('is retried immediately after a failure, and keeps its old value', async () => {
    const { of } = store(undefined, one, undefined, undefined, two);
    const { schedule, due, fire } = timers();
    let failures = 0;
    const current = refreshRegularly(of, { schedule, failed: () => (failures += 1) });
    expect(await current()).toEqual({ current: 'one' });
    await fire();
    expect(await current()).toEqual({ current: 'one' });
    expect({ failures, ms: due[0]?.ms }).toEqual({ failures: 1, ms: 30_000 });
    await fire();
    expect(await current()).toMatchObject({ current: 'two' });
  });

  test('is undefined until the first successful load, and is retried every second', async () => {
    const { of } = store(undefined, undefined, one);
    const { schedule, due, fire } = timers();
    const current = refreshRegularly(of, { schedule, failed: none });
    expect(await current()).toBeUndefined();
    expect(due[0]?.ms).toBe(1_000);
    await fire();
    expect(await current()).toEqual({ current: 'one' });
  });
});

test('the previous signing secret counts until its end, or without one until it is removed', () => {
  const both = { current: 'new', previous: 'old' };
  expect(listSigningSecrets({ current: 'new' }, 5)).toEqual(['new']);
  expect(listSigningSecrets(both, 5)).toEqual(['new', 'old']);
  expect(listSigningSecrets({ ...both, previousUntil: 6 }, 5)).toEqual(['new', 'old']);
  expect(listSigningSecrets({ ...both, previousUntil: 5 }, 5)).toEqual(['new']);
});
