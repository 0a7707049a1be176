import { expect, test } from '@jest/globals';
import { targetMessage } from '../../../../shared/platforms/discord/inbound/command-options.ts';

const file = (id: string, content_type: string) => ({ id, url: `https://cdn.example/${id}`, content_type });

/** The message 81 of this author, to which a person applies a message command. */
const targetBy = (author: object, more: object = {}) => {
  const message = { id: '81', author, content: 'words', attachments: [], ...more };
  const data = { type: 3, target_id: '81', resolved: { messages: { '81': message } } };
  return targetMessage({ data, place: { guild: '21', channel: '31', root: undefined, bot: true } });
};

test('a message of a bot is known as one, that of a person is not', () => {
  expect(targetBy({ id: '42', bot: true })).toMatchObject({ author: '42', isBot: true });
  expect(targetBy({ id: '42' })).not.toHaveProperty('isBot');
});

test('a message has the pictures of the message that it forwards, but not its recordings: nobody knows who speaks there', () => {
  const own = { attachments: [file('1', 'audio/ogg')] };
  const forwarded = { content: '', attachments: [file('2', 'audio/ogg'), file('3', 'image/png')] };
  expect(targetBy({ id: '42' }, { ...own, message_snapshots: [{ message: forwarded }] })).toMatchObject({
    attachments: [{ id: 'https://cdn.example/1' }, { id: 'https://cdn.example/3' }],
  });
});
