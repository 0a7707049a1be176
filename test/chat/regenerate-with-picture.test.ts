import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { platform } from './rig.ts';
import { THREAD, threadWorld } from './thread-world.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');

test('a regenerated answer uses the pictures of its question again', async () => {
  const world = threadWorld([], {
    platform: { ...platform(), downloadFile: async () => PNG },
  });
  const asked = {
    thread: THREAD,
    id: messageId('1.1'),
    author: userId('U1'),
    authorWorkspace: workspaceId('T1'),
    text: 'What is this?',
    attachments: [{ id: 'F1', name: 'cat.png', mimetype: 'image/png', bytes: PNG.length }],
    addressed: 'mention',
  } as const;
  await acceptQuestion(asked, intakeWithin(world.context));
  await world.queued();
  world.time.advance(2_000);
  const action = { kind: 'regenerate' } as const;
  await world.take({
    kind: 'button-clicked',
    thread: THREAD,
    message: asked.id,
    by: asked.author,
    at: '8.1',
    action,
  });
  await world.queued();
  expect(world.prompts).toHaveLength(2);
  expect(world.prompts[0]).toContain(PNG.toString('base64'));
  expect(world.prompts[1]).toContain(PNG.toString('base64'));
});
