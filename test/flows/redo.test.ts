import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../shared/conversation/index.ts';
import { THREAD, threadWorld } from './thread-world.ts';

const press = (at: string) =>
  ({
    kind: 'pressed',
    thread: THREAD,
    message: messageId('1.1'),
    by: userId('U1'),
    at,
    press: { kind: 'regenerate' },
  }) as const;

test('a button that is pressed twice gets one new answer; pressed under that one, another', async () => {
  const { say, take, queued, prompts, time } = threadWorld();
  await say('1.1', 'U1', 'Why?');
  await queued();
  time.advance(2_000);
  await take(press('8.1'));
  time.advance(100);
  await take(press('8.2'));
  await queued();
  expect(prompts).toHaveLength(2);
  time.advance(1_000);
  await take(press('8.3'));
  await queued();
  expect(prompts).toHaveLength(3);
});

test('a press that a later one has overtaken is left to that one', async () => {
  const { say, queued, prompts, sent, overtaken } = threadWorld();
  await say('1.1', 'U1', 'Why?');
  await queued();
  const pressed = (id: string) => {
    const turn = {
      thread: THREAD,
      message: messageId('1.1'),
      asker: userId('U1'),
      askerWorkspace: THREAD.workspace,
    };
    const ticket = { id, token: 'T' };
    sent({ v: 1, kind: 'redo', ...turn, key: `press-${id}`, by: 'U1', ticket, how: { kind: 'regenerate' } });
  };
  overtaken.add('8');
  pressed('8');
  pressed('9');
  await queued();
  expect(prompts).toHaveLength(2);
});
