import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFaultSwitches, type Fault } from '../../../../infra/local/faults/fault-switches.ts';

let [now, seen]: [number, string[]] = [0, []];
let timers: { at: number; action: () => void }[] = [];
beforeEach(() => {
  [now, seen, timers] = [1_000, [], []];
});

function pass(ms: number): void {
  now += ms;
  const due = timers.filter(({ at }) => at <= now);
  timers = timers.filter(({ at }) => at > now);
  for (const { action } of due) action();
}

const fault = (name: string, more: Partial<Fault> = {}): Fault => ({
  name,
  title: name.toUpperCase(),
  effect: 'Something happens.',
  unavailable: undefined,
  begin: () => {
    seen.push(`${name} begins`);
    return () => void seen.push(`${name} ends`);
  },
  ...more,
});

function create() {
  return createFaultSwitches({
    faults: [fault('a'), fault('b'), fault('real', { unavailable: 'It is real.' })],
    now: () => now,
    after: (ms, action) => {
      const timer = { at: now + ms, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    onChange: ({ title }, isOn, states) =>
      seen.push(
        `${title} ${isOn ? 'on' : 'off'}, ${states.filter(({ until }) => until !== undefined).length} active`,
      ),
  });
}

describe('a fault', () => {
  test('is off at first, and lists why it is unavailable', () => {
    expect(create().list()).toEqual([
      { name: 'a', title: 'A', effect: 'Something happens.', unavailable: undefined, until: undefined },
      expect.objectContaining({ name: 'b', until: undefined }),
      expect.objectContaining({ name: 'real', unavailable: 'It is real.' }),
    ]);
  });

  test('ends by itself after its time', () => {
    const switches = create();
    expect(switches.start('a', 30_000)).toBe(true);
    expect(switches.list()[0]?.until).toBe(31_000);
    pass(29_999);
    expect(seen).toEqual(['a begins', 'A on, 1 active']);
    pass(1);
    expect(seen.slice(2)).toEqual(['a ends', 'A off, 0 active']);
    expect(switches.list()[0]?.until).toBeUndefined();
  });

  test('that is switched on again lasts longer, and begins once', () => {
    const switches = create();
    switches.start('a', 30_000);
    pass(20_000);
    switches.start('a', 30_000);
    pass(29_999);
    expect(seen).toEqual(['a begins', 'A on, 1 active']);
    pass(1);
    expect(seen).toContain('a ends');
  });

  test('that is switched off ends at once, and only once', () => {
    const switches = create();
    switches.start('a', 30_000);
    expect(switches.stop('a')).toBe(true);
    expect(switches.stop('a')).toBe(true);
    pass(60_000);
    expect(seen).toEqual(['a begins', 'A on, 1 active', 'a ends', 'A off, 0 active']);
  });

  test('that is unknown or unavailable cannot be switched on', () => {
    const switches = create();
    expect([switches.start('real', 1), switches.start('x', 1), switches.stop('x')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(seen).toEqual([]);
  });

  test('ends with all others when the system stops', () => {
    const switches = create();
    switches.start('a', 30_000);
    switches.start('b', 30_000);
    switches.stopAll();
    expect(seen.filter((one) => one.endsWith('ends'))).toEqual(['a ends', 'b ends']);
    expect(timers).toEqual([]);
  });
});
