import { expect, test } from '@jest/globals';
import { messageId } from '../../shared/domain/index.ts';
import { messengerRouter } from '../../shared/platforms/platform-router.ts';
import { TURN } from '../chat/rig.ts';
import { FakeMessenger } from '../fakes/messenger.ts';

test('the router passes every argument of a status, so that an answer in a thread keeps its own status', async () => {
  const shown: unknown[][] = [];
  const stage = Object.assign(new FakeMessenger(), {
    showWorking: async (...given: unknown[]) => void shown.push(given),
  });
  const thread = { ...TURN.thread, root: messageId('7.7') };
  await messengerRouter(() => stage).showWorking(thread, '', true);
  expect(shown).toEqual([[thread, '', true]]);
});
