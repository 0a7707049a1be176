import { expect, test } from '@jest/globals';
import { tokenIn } from '../../functions/relay.ts';
import { TO_FILL_IN } from '../../shared/runtime/names.ts';
import { WrongSecret } from '../../shared/runtime/secrets.ts';

test('the relay waits for its token: as long as the secret cannot be read, or holds what the deployment put there', async () => {
  const answers = [new WrongSecret('no SecretString'), { botToken: TO_FILL_IN }, { botToken: 'a-token' }];
  const waited: unknown[] = [];
  const token = await tokenIn(
    {
      refresh: async () => {
        const next = answers.shift();
        if (next === undefined || next instanceof Error) throw next;
        return next;
      },
    },
    async (error) => void waited.push(error),
  );
  expect(token).toBe('a-token');
  expect(waited).toEqual([new WrongSecret('no SecretString'), expect.any(WrongSecret)]);
});
