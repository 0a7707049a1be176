import { availableParallelism } from 'node:os';

/** Packages of their own, with what others wrote: `npm run conformance:clients` and `npm run conformance:slack`. */
const PACKAGES = ['<rootDir>/test/conformance/clients/', '<rootDir>/test/conformance/slack/'];

/** Node loads the tests as it loads the rest: types are stripped, and there is nothing to transpile. */
export default {
  testEnvironment: './test/runner/environment.ts',
  testRunner: './test/runner/suite.ts',
  // Which suite comes first, and which took long.
  testSequencer: './test/runner/sequencer.ts',
  reporters: ['default', './test/runner/slowest.ts'],
  // Two more than there are cores: journeys wait for half of their time, for clients that come back and processes that start.
  maxWorkers: availableParallelism() + 2,
  // Ends a test that hangs, also on a slow machine. What the product itself must do within a time is tested with injected clocks.
  testTimeout: 480_000,
  transform: {},
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...PACKAGES],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.parley', ...PACKAGES],
  watchPathIgnorePatterns: ['<rootDir>/.parley'],
};
