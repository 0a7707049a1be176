import { afterEach, expect, test } from '@jest/globals';
import { ChannelType, Routes } from 'discord-api-types/v10';
import { GENERAL, GUILD } from './identity.ts';
import { setUp, tearDown } from './harness.ts';

afterEach(tearDown);

test('a guild has at most 1,000 active threads: then another one is refused until one is archived', async () => {
  const { rest, core, clock } = await setUp();
  const now = clock.now();
  for (let n = 0; n < 1_000; n += 1) {
    const id = String(n + 1);
    const thread = {
      id,
      type: ChannelType.PublicThread,
      name: id,
      guild: GUILD,
      parent: GENERAL,
      active: now,
    };
    core.state.channels.set(id, thread);
  }
  const create = () => rest.post(Routes.threads(GENERAL, core.say('ada', 'why?')), { body: { name: 'Why' } });
  await expect(create()).rejects.toMatchObject({ status: 400, code: 160_006 });
  core.close('1', { archived: true });
  await create();
});
