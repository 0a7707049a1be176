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

test.each([
  [{ filename: 'plan.pdf' }, 'plan.pdf'],
  [{ filename: 'c953b519a8c28c42.pdf', title: '8월 추천 여행지' }, '8월 추천 여행지.pdf'],
  [{ filename: '1a2b.tar.gz', title: 'Größe $& 2.0' }, 'Größe $& 2.0.gz'],
  [{ filename: '1a2b', title: 'Übersicht' }, 'Übersicht'],
  [{ filename: 'plan.pdf', title: '' }, 'plan.pdf'],
  [{}, ''],
])('a file has its original name, which Discord keeps in its title if it is not ASCII: %j', (names, name) => {
  const attachments = [{ ...file('1', 'application/pdf'), ...names }];
  expect(targetBy({ id: '42' }, { attachments })).toMatchObject({ attachments: [{ name }] });
});

test('a message has the pictures of the message that it forwards, but not its recordings: nobody knows who speaks there', () => {
  const own = { attachments: [file('1', 'audio/ogg')] };
  const forwarded = { content: '', attachments: [file('2', 'audio/ogg'), file('3', 'image/png')] };
  expect(targetBy({ id: '42' }, { ...own, message_snapshots: [{ message: forwarded }] })).toMatchObject({
    attachments: [{ id: 'https://cdn.example/1' }, { id: 'https://cdn.example/3' }],
  });
});
