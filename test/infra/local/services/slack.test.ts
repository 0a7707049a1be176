import { afterEach, expect, test } from '@jest/globals';
import { readIdentity } from '../../../../infra/local/services/identity.ts';
import { startSimulatedSlack } from '../../../../infra/local/services/services.ts';
import { scratch } from '../sample-template.ts';

const folder = scratch();
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  folder.remove();
});

test('the simulated Slack of `npm start` limits requests as Slack does', async () => {
  const { directory } = folder;
  const { apiUrl, botToken, simulator } = await startSimulatedSlack({
    directory,
    host: '127.0.0.1',
    identity: readIdentity(directory),
    options: { clock: () => 1_800_000_000_000 },
    note: (line) => {
      throw new Error(line);
    },
  });
  closing.push(async () => simulator?.close());
  const statuses: number[] = [];
  for (let n = 0; n < 21; n += 1) {
    const response = await fetch(`${apiUrl}users.list`, {
      method: 'POST',
      headers: { authorization: `Bearer ${botToken}` },
    });
    statuses.push(response.status);
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
});
