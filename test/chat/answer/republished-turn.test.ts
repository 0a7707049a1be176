import { expect, test } from '@jest/globals';
import { messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';

const turn = {
  v: 1,
  thread: THREAD,
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
} as const;
const ASK = { ...turn, kind: 'ask', question: 'Why?', attachments: [], receivedAt: 0 } as const;
const EDIT = {
  ...turn,
  kind: 'redo',
  round: 0,
  key: 'edit-9.1',
  by: turn.asker,
  how: { kind: 'edited', of: turn.message, question: 'How?', attachments: [] },
} as const;

test.each([
  ['a question', ASK],
  ['an edit', EDIT],
])('%s that is delivered again does not delay the next change of its answer', async (_, task) => {
  const { say, edit, queued, sent, prompts } = threadHarness();
  await say('1.1', 'U1', 'Why?');
  await queued();
  if (task.kind === 'redo') {
    sent(task);
    await queued();
  }
  sent(task);
  await queued();
  await edit('1.1', 'U1', 'When?', '9.2');
  await queued();
  expect(prompts.at(-1)).toContain('When?');
});
