import { expect, test } from '@jest/globals';
import { msToSnowflake, snowflakeToMs } from '../../shared/utils/snowflake.ts';

test('snowflakeToMs reads the time of the example in the Discord reference', () => {
  expect(new Date(snowflakeToMs('175928847299117063')).toISOString()).toBe('2016-04-30T11:18:25.796Z');
});

test('msToSnowflake returns the lowest id of a millisecond, and 0 before 2015', () => {
  const ms = Date.parse('2016-04-30T11:18:25.796Z');
  expect(snowflakeToMs(msToSnowflake(ms))).toBe(ms);
  expect(snowflakeToMs(String(BigInt(msToSnowflake(ms)) - 1n))).toBe(ms - 1);
  expect(msToSnowflake(0)).toBe('0');
});
