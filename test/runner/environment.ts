import type { JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Where `jest.setTimeout` keeps what it was given. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/**
 * What jest asks of the surroundings of a suite: here the very process, so that there is one `Error`, one `Object` and
 * one of each module. What jest itself changes for a suite is put back after it.
 */
export default class ThisProcess {
  readonly global = globalThis;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly #console = console;
  readonly #globals = namedGlobals();
  readonly #env = { ...process.env };
  readonly #exit = Object.getOwnPropertyDescriptor(process, 'exit') ?? {};

  constructor({ projectConfig }: JestEnvironmentConfig) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  /** There is none. */
  getVmContext(): null {
    return null;
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.moduleMocker.restoreAllMocks();
    this.fakeTimersModern.dispose();
    restoreGlobals(this.#globals);
    for (const name of Object.keys(process.env))
      if (!(name in this.#env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, this.#env);
    globalThis.console = this.#console;
    Object.defineProperty(process, 'exit', this.#exit);
    Reflect.deleteProperty(globalThis, TIMEOUT);
  }
}

/** The global variables. Not those named by symbols: jest and libraries keep their own state in these. */
const namedGlobals = (): Map<string, PropertyDescriptor> =>
  new Map(Object.entries(Object.getOwnPropertyDescriptors(globalThis)));

/** Removes global variables that a suite added, and restores those that it changed or removed. */
function restoreGlobals(before: ReadonlyMap<string, PropertyDescriptor>): void {
  const after = namedGlobals();
  for (const name of after.keys()) if (!before.has(name)) Reflect.deleteProperty(globalThis, name);
  for (const [name, descriptor] of before) {
    const now = after.get(name);
    const isSame = now?.value === descriptor.value && now?.get === descriptor.get;
    if (!isSame) Reflect.defineProperty(globalThis, name, descriptor);
  }
}
