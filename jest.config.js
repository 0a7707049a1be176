/** Node loads the tests as it loads the rest: types are stripped, and there is nothing to transpile. */
export default {
  testEnvironment: './test/runner/environment.ts',
  testRunner: './test/runner/suite.ts',
  // Every core: most of the time goes by in servers on loopback.
  maxWorkers: '100%',
  // Journeys start whole systems, and machines are slow at times.
  testTimeout: 20_000,
  transform: {},
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/conformance/clients/'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.parley', '<rootDir>/test/conformance/clients'],
  watchPathIgnorePatterns: ['<rootDir>/.parley'],
};
