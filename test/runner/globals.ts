import type * as Jest from '@jest/globals';
import * as v from 'valibot';

/**
 * What the tests import as `@jest/globals` (suite.ts sees to it). jest makes these functions anew for each suite, while
 * a module that several suites import is loaded once: so each of them is looked up when it is called.
 */
type Globals = typeof Jest;

let current: Globals | undefined;

/** From now on, it is this suite that declares its tests. */
export function enter(globals: Globals): void {
  current = globals;
}

function later<Name extends keyof Globals>(name: Name): Globals[Name] {
  const now = (): Globals[Name] => {
    if (current === undefined) throw new Error('Tests are run by jest: npm test -- test/FOLDER');
    return current[name];
  };
  const proxy: unknown = new Proxy(() => {}, {
    apply: (_function, _this, args): unknown => Reflect.apply(v.parse(callable, now()), undefined, args),
    get: (_function, key): unknown => Reflect.get(now(), key),
  });
  return v.parse(
    v.custom<Globals[Name]>((of) => of === proxy),
    proxy,
  );
}

const callable = v.custom<(...args: unknown[]) => unknown>((of) => typeof of === 'function');

export const afterAll = later('afterAll');
export const afterEach = later('afterEach');
export const beforeAll = later('beforeAll');
export const beforeEach = later('beforeEach');
export const describe = later('describe');
export const expect = later('expect');
export const jest = later('jest');
export const test = later('test');
