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
    this.fakeTimersModern.dispose();
    globalThis.console = this.#console;
    Object.defineProperty(process, 'exit', this.#exit);
    Reflect.deleteProperty(globalThis, TIMEOUT);
  }
}
