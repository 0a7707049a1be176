import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { messageId, type ButtonAction, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { toThread } from '../../../../shared/platforms/discord/inbound/conversation-key.ts';
import { buttonCustomId, parseButton } from '../../../../shared/platforms/discord/blocks/answer-buttons.ts';

const LONGEST = '9'.repeat(20);
const turn = (root: string) => ({
  thread: toThread('1', '2', root),
  message: messageId(LONGEST),
  asker: userId('3'),
  askerWorkspace: workspaceId('1'),
});

const actions: ButtonAction[] = [
  { kind: 'stop' },
  { kind: 'continue' },
  { kind: 'feedback', good: true },
  { kind: 'feedback', good: false },
  { kind: 'regenerate', model: undefined },
  { kind: 'regenerate', model: 'maker/model-70b' },
];

test.each(actions)(
  'a button for $kind is parsed to the action it was built from, in any conversation',
  (action) => {
    for (const root of [LONGEST, `p${LONGEST}`, `c${LONGEST}`, `u${LONGEST}`]) {
      const text = buttonCustomId(turn(root), action) ?? '';
      expect(text.length).toBeLessThanOrEqual(100);
      expect(parseButton(text)).toEqual({ root, message: LONGEST, action });
    }
  },
);

test('a model whose id is too long for Discord has no button', () => {
  expect(buttonCustomId(turn(LONGEST), { kind: 'regenerate', model: 'm'.repeat(60) })).toBeUndefined();
});

test('the custom_id of anything else is not parsed', () => {
  for (const text of [
    '',
    'press',
    'press.stop',
    'press.stop|1',
    'press.jump|1|2',
    'press.stop|x1|2',
    'press.stop|1#2|3',
    'voice.translate|1|2',
    '%',
  ]) {
    expect(parseButton(text)).toBeUndefined();
  }
  fc.assert(fc.property(fc.string(), (text) => expect(parseButton(text)).toBeUndefined()));
});
