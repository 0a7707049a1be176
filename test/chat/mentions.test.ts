import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { expect, test } from '@jest/globals';
import type { IncomingMessage, MessageId, Thread } from '../../shared/domain/index.ts';
import { acceptQuestion } from '../../shared/intake/index.ts';
import { parseSettingValues } from '../../shared/settings/rules/index.ts';
import type { SettingsPlace } from '../../shared/storage/index.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { TURN } from './completion-harness.ts';

/** Whether a message counts as a question with this setting, in a thread with or without the bot. */
async function askWith(
  addressed: IncomingMessage['addressed'],
  mentions: string | undefined,
  knows = false,
): Promise<boolean> {
  const queue = new FakeQueue();
  const { thread, message: id, asker: author, askerWorkspace: authorWorkspace } = TURN;
  const message = { thread, id, author, authorWorkspace, text: 'lunch?', attachments: [], addressed };
  const turns = {
    // The state of the thread at the time of the message.
    isParticipating: async (_: Thread, at?: MessageId) => knows && at === id,
    accept: async () => ({ isLate: false, isNew: true }),
    dropDeleted: () => Promise.resolve(false),
    markUnsent: async () => undefined,
  };
  const choices = {
    layers: async (place: SettingsPlace) => {
      // Messages without a mention outside of threads cause no lookup of a thread.
      expect(place.thread !== undefined).toBe(addressed === 'if-member');
      return { channel: { values: parseSettingValues({ mentions }) } };
    },
  };
  await acceptQuestion(message, { ...BARE_INTAKE, turns, queue, settingsStore: choices, now: () => 5 });
  return queue.sent.length > 0;
}

test.each<[string | undefined, boolean, boolean, boolean]>([
  // The setting, and whether a message without a mention is a question in a channel, in a thread of the bot, in
  // another thread.
  [undefined, false, true, false],
  ['threads', false, true, false],
  ['only', false, false, false],
  ['free', true, true, true],
])(
  'mode %s: a message without a mention is a question in a channel: %s, in a thread of the bot: %s, in another thread: %s',
  async (mentions, top, own, others) => {
    expect(await askWith('none', mentions)).toBe(top);
    expect(await askWith('if-member', mentions, true)).toBe(own);
    expect(await askWith('if-member', mentions)).toBe(others);
    expect(await askWith('mention', mentions)).toBe(true);
    expect(await askWith('direct', mentions)).toBe(true);
  },
);
