import { intakeWithin } from '../../shared/intake/within-worker.ts';
import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { fakePlatform } from './completion-harness.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1');

test('a regenerated answer uses the pictures of its question again', async () => {
  const harness = threadHarness([], {
    platform: { ...fakePlatform(), downloadFile: async () => PNG },
  });
  const question = {
    thread: THREAD,
    id: messageId('1.1'),
    author: userId('U1'),
    authorWorkspace: workspaceId('T1'),
    text: 'What is this?',
    attachments: [{ id: 'F1', name: 'cat.png', mimetype: 'image/png', bytes: PNG.length }],
    addressed: 'mention',
  } as const;
  await acceptQuestion(question, intakeWithin(harness.context));
  await harness.queued();
  harness.time.advance(2_000);
  const action = { kind: 'regenerate' } as const;
  await harness.take({
    kind: 'button-clicked',
    thread: THREAD,
    message: question.id,
    by: question.author,
    at: '8.1',
    action,
  });
  await harness.queued();
  expect(harness.prompts).toHaveLength(2);
  expect(harness.prompts[0]).toContain(PNG.toString('base64'));
  expect(harness.prompts[1]).toContain(PNG.toString('base64'));
});
