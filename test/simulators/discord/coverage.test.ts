import { expect, test } from '@jest/globals';
import { REST } from './coverage.ts';
import { ROUTES } from './routes/index.ts';

test('the coverage table names exactly the routes of the simulator', () => {
  const present = Object.keys(REST).filter((name) => REST[name]?.level !== 'absent');
  expect(Object.keys(ROUTES).toSorted()).toEqual(present.toSorted());
});
