/** The tests with a Slack that others wrote: run by `npm run conformance:slack`, not by `npm test`. */
export default {
  testEnvironment: '../../runner/environment.ts',
  testRunner: '../../runner/suite.ts',
  transform: {},
  testMatch: ['<rootDir>/*.test.ts'],
  testTimeout: 120_000,
};
