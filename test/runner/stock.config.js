/**
 * Jest's own runner and environment, to compare: `NODE_OPTIONS=--experimental-vm-modules npx jest -c test/runner/stock.config.js
 * test/FOLDER`. docs/decisions.md (26) says what this costs.
 */
export default {
  rootDir: '../..',
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/runner/strip-types.js' },
  testTimeout: 240_000,
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/.parley', '<rootDir>/test/conformance/'],
};
