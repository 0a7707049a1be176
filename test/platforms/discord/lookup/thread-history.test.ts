import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../../../shared/domain/index.ts';
import { guildOf, threadIn } from '../../../../shared/platforms/discord/index.ts';
import { ADA, GENERAL, GRACE, GUILD } from '../../../simulators/discord/index.ts';
import { discord, side, onDiscord } from '../on-discord.ts';
import { snowflakeToMs } from '../../../../shared/utils/snowflake.ts';

onDiscord();

const earlier = (id: string, root = id) =>
  side.platform.fetchEarlierMessages({
    thread: threadIn(GUILD, GENERAL, root),
    message: messageId(id),
    asker: userId(GRACE),
    askerWorkspace: guildOf(GUILD),
  });

test('a question that replies to a message includes that message, and no other of the channel', async () => {
  const plan = discord.core.say('ada', 'We meet on Monday.');
  discord.core.say('ada', 'Something else.');
  const question = discord.core.say('grace', '@Parley When is it?', { replyTo: plan });
  expect((await earlier(question)).messages).toEqual([
    { author: 'Ada Lovelace', text: 'We meet on Monday.', by: ADA, at: snowflakeToMs(plan) },
  ]);
  expect((await earlier(discord.core.say('grace', '@Parley hello'))).messages).toEqual([]);
  const message = discord.core.say('ada', '', {
    files: [{ name: 'plan.pdf', content: Buffer.from('x'), contentType: 'application/pdf' }],
  });
  const about = discord.core.say('grace', '@Parley What is it?', { replyTo: message });
  expect((await earlier(about)).messages).toMatchObject([{ text: '(with plan.pdf)' }]);
  discord.core.remove('ada', message);
  expect((await earlier(about)).messages).toEqual([]);
});

test('a question in a thread includes all earlier messages of the thread, oldest first', async () => {
  const root = discord.core.say('ada', 'We meet on Monday.');
  discord.core.thread('ada', root, 'A thread');
  for (const text of ['At nine.', 'In the hall.']) discord.core.say('ada', text, { channel: root });
  const question = discord.core.say('grace', '@Parley When?', { channel: root });
  expect((await earlier(question, root)).messages.map(({ text }) => text)).toEqual([
    'At nine.',
    'In the hall.',
  ]);
});

test('the message of a question is read once for its prompt and its channel, and again when either is repeated', async () => {
  const read = 'GET /channels/{channel_id}/messages/{message_id}';
  const reads = () => discord.calls.filter(({ route }) => route === read).length;
  const question = discord.core.say('grace', '@Parley hello');
  const turn = {
    thread: threadIn(GUILD, GENERAL, question),
    message: messageId(question),
    asker: userId(GRACE),
    askerWorkspace: guildOf(GUILD),
  };
  await Promise.all([earlier(question), side.platform.showStatus(turn, 'is thinking…', 'work')]);
  expect(reads()).toBe(1);
  await side.platform.showStatus(turn, '');
  await earlier(question);
  expect(reads()).toBe(2);
});
