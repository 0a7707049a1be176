import { afterEach, expect, test } from '@jest/globals';
import { Routes } from 'discord.js';
import { setUp, tearDown } from './harness.ts';
import { GENERAL } from './identity.ts';

afterEach(tearDown);

test.each([
  ['a 429 of the bot', { kind: 'busy', retryAfter: 1 }, 1],
  ['a 429 of all its requests', { kind: 'busy', retryAfter: 1, scope: 'global' }, 1],
  ['a 429 of a resource that others use too', { kind: 'busy', retryAfter: 1, scope: 'shared' }, 0],
  ['a refusal with the status 403', { kind: 'refuse', code: 50_013 }, 1],
  ['a refusal with the status 404', { kind: 'refuse', code: 10_003 }, 0],
  ['a rejected token', { kind: 'status', status: 401 }, 1],
  ['a failure of the server', { kind: 'status', status: 502 }, 0],
] as const)('%s counts for the ban for invalid requests as Discord documents it', async (_, fault, count) => {
  const { rest, simulator } = await setUp();
  simulator.faults.add(fault);
  await expect(rest.get(Routes.channel(GENERAL))).rejects.toBeInstanceOf(Error);
  expect(simulator.invalidCalls()).toBe(count);
});
