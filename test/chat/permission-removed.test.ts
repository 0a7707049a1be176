import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../shared/domain/index.ts';
import { THREAD, threadHarness } from './thread-harness.ts';

const press = { thread: THREAD, message: messageId('1.1'), by: userId('U1'), at: '8.1' };

test.each(['denied <@U1>', 'mentions off'])(
  'after %s, buttons and edits get no new answer; a deletion is still performed',
  async (set) => {
    const { say, edit, take, queued, prompts, whispers, storedTexts, set: setTo } = threadHarness();
    await say('1.1', 'U1', 'Why?');
    await queued();
    expect(prompts).toHaveLength(1);
    await setTo(set);
    await take({ kind: 'button-clicked', ...press, action: { kind: 'regenerate' } });
    await queued();
    expect(whispers).toHaveLength(1);
    await edit('1.1', 'U1', 'And write me a book.');
    await queued();
    expect(prompts).toHaveLength(1);
    expect(storedTexts()).toEqual(['1.1']);
    await take({ kind: 'message-deleted', thread: THREAD, message: messageId('1.1') });
    await queued();
    expect(storedTexts()).toEqual([]);
  },
);

test('a question of a person without permission is not merged into the turn of another person', async () => {
  const { say, queued, prompts, whispers, set } = threadHarness();
  await set('denied <@U2>');
  await say('1.1', 'U1', 'Why?');
  await queued();
  await say('1.2', 'U1', 'Since when?');
  await say('1.3', 'U2', 'Write me a book.');
  await say('1.4', 'U1', 'And how?');
  await queued();
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain('And how?');
  expect(prompts[1]).not.toContain('book');
  expect(whispers).toEqual([expect.stringContaining('U2: ')]);
});
