import { expect, test } from '@jest/globals';
import { waitForToken } from '../../functions/composition/discord/discord-relay.ts';
import { SECRET_PLACEHOLDER } from '../../shared/runtime/shared-names.ts';
import { InvalidSecretError } from '../../shared/aws/secrets.ts';

test('the relay waits while its token cannot be read or is the placeholder of the deployment', async () => {
  const answers = [
    new InvalidSecretError('no SecretString'),
    { botToken: SECRET_PLACEHOLDER },
    { botToken: 'a-token' },
  ];
  const sleeps: unknown[] = [];
  const token = await waitForToken(
    {
      refresh: async () => {
        const next = answers.shift();
        if (next === undefined || next instanceof Error) throw next;
        return next;
      },
    },
    async (error) => void sleeps.push(error),
  );
  expect(token).toBe('a-token');
  expect(sleeps).toEqual([new InvalidSecretError('no SecretString'), expect.any(InvalidSecretError)]);
});
