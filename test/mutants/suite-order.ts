import type { Test } from '@jest/test-result';

/** The path of this file, for jest. */
export const SUITE_ORDER = import.meta.filename;

/** jest's order of suites: here the one in which they were asked for. */
export default class RequestedOrder {
  sort(tests: Test[]): Test[] {
    const requestedSuites = (process.env['PARLEY_MUTANT_SUITES'] ?? '').split(',');
    const place = ({ path }: Test): number =>
      requestedSuites.findIndex((suite) => path.endsWith(`/${suite}`));
    return tests.toSorted((a, b) => place(a) - place(b));
  }

  allFailedTests(tests: Test[]): Test[] {
    return tests;
  }

  shard(tests: Test[]): Test[] {
    return tests;
  }

  async cacheResults(): Promise<void> {}
}
