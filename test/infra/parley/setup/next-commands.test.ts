import { expect, test } from '@jest/globals';
import { buildNextCommands } from '../../../../infra/parley/setup/next-commands.ts';

test.each([
  [{ env: '.env', data: '.parley', port: 3000 }, 'npm start', 'npx parley doctor'],
  [
    { env: 'other.env', data: 'my data', port: 4000 },
    'npm start -- --env other.env --data "my data" --port 4000',
    'npx parley doctor --env other.env --data "my data"',
  ],
  [
    { env: '/etc/parley.env', data: '.parley', port: 3000 },
    'npm start -- --env /etc/parley.env',
    'npx parley doctor --env /etc/parley.env',
  ],
])('after a set-up with %j, names the commands with these options', ({ env, ...place }, start, doctor) => {
  expect(buildNextCommands({ envFile: env, ...place })).toEqual({ start, doctor });
});
