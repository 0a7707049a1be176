import { expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { BY, messagesOf, summaryHarness, THREAD } from './summary-harness.ts';

test.each([
  ['the person who asks', { platform: 'slack' as const, workspace: BY.workspace, user: BY.user }],
  ['the thread', { thread: THREAD }],
  ['nobody', undefined],
])('a summary that is made while %s is erased is stored only for nobody', async (_, subject) => {
  let erasure: (() => unknown) | undefined;
  const answer = () => {
    erasure?.();
    return 'They agreed on a canary [1].';
  };
  // Of others: the erasure of an author has another reason.
  const messages = messagesOf(['One.', 'Two.'], () => ({ by: userId('U3') }));
  const at = summaryHarness({ history: { messages }, answer });
  const receivedAt = at.time.now();
  at.time.advance(1_000);
  erasure = () => subject && at.context.erasureMoments.record(subject, at.time.now());
  const { reply } = await at.thread({ receivedAt });
  expect(reply).toContain('canary');
  expect(JSON.stringify(at.dynamo.items('conversations')).includes('canary')).toBe(subject === undefined);
});
