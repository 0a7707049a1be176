import { expect, test } from '@jest/globals';
import { targetMessage } from '../../../../shared/platforms/discord/inbound/command-options.ts';

/** The message 81 of this author, to which a person applies a message command. */
const targetBy = (author: object) => {
  const message = { id: '81', author, content: 'words', attachments: [] };
  const data = { type: 3, target_id: '81', resolved: { messages: { '81': message } } };
  return targetMessage({ data, place: { guild: '21', channel: '31', root: undefined, bot: true } });
};

test('a message of a bot is known as one, that of a person is not', () => {
  expect(targetBy({ id: '42', bot: true })).toMatchObject({ author: '42', isBot: true });
  expect(targetBy({ id: '42' })).not.toHaveProperty('isBot');
});
