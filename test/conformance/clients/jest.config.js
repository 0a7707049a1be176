/** The tests with clients and servers that others wrote: run by `npm run conformance:clients`, not by `npm test`. */
export default {
  testEnvironment: 'node',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/*.test.ts'],
  testTimeout: 120_000,
};
