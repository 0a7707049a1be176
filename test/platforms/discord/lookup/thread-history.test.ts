import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../../../shared/domain/index.ts';
import { toWorkspaceId, toThread } from '../../../../shared/platforms/discord/index.ts';
import { ADA, GENERAL, GRACE, GUILD } from '../../../simulators/discord/index.ts';
import { discord, side, onDiscord } from '../on-discord.ts';
import { snowflakeToMs } from '../../../../shared/utils/snowflake.ts';

onDiscord();

const FORUM = '301000000000000003';
const turnOf = (id: string, root = id, channel = GENERAL) => ({
  thread: toThread(GUILD, channel, root),
  message: messageId(id),
  asker: userId(GRACE),
  askerWorkspace: toWorkspaceId(GUILD),
});
const earlier = (id: string, root = id, channel = GENERAL) =>
  side.platform.fetchEarlierMessages(turnOf(id, root, channel));

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
  const forwarded = discord.core.forward('ada', plan, GENERAL);
  const aboutIt = discord.core.say('grace', '@Parley What is it?', { replyTo: forwarded });
  expect((await earlier(aboutIt)).messages).toMatchObject([{ text: '> We meet on Monday.' }]);
  discord.core.remove('ada', message);
  expect((await earlier(about)).messages).toEqual([]);
});

test('a question that replies to an alert of another app includes what its embeds say', async () => {
  const embed = {
    author: { name: 'Grafana' },
    title: 'Disk full',
    url: 'https://grafana.example.com/1',
    description: 'node-7 has 1 % left.',
    fields: [{ name: 'Severity', value: 'critical', inline: true }],
    footer: { text: 'rule 12' },
  };
  const preview = { type: 'article', title: 'What is Grafana?', description: 'A preview of a link.' };
  const alert = discord.core.postAsOtherApp('Alerts', { channel: GENERAL, embeds: [embed, preview] });
  const text = 'Grafana\nDisk full\nnode-7 has 1 % left.\nSeverity: critical\nrule 12';
  const question = discord.core.say('grace', '@Parley What does it mean?', { replyTo: alert });
  expect((await earlier(question)).messages).toMatchObject([{ author: 'alerts', text, isBot: true }]);
  const forwarded = discord.core.forward('ada', alert, GENERAL);
  const aboutIt = discord.core.say('grace', '@Parley And this?', { replyTo: forwarded });
  expect((await earlier(aboutIt)).messages).toMatchObject([{ text: text.replaceAll(/^/gmu, '> ') }]);
});

test('a question in a thread includes its title, the message that it is on, and all messages in it, oldest first', async () => {
  const root = discord.core.say('ada', 'We meet on Monday.');
  discord.core.thread('ada', root, 'A thread');
  for (const text of ['At nine.', 'In the hall.']) discord.core.say('ada', text, { channel: root });
  const question = discord.core.say('grace', '@Parley When?', { channel: root });
  expect((await earlier(question, root)).messages).toEqual([
    { author: '(The title of the thread)', text: 'A thread', by: ADA, at: snowflakeToMs(root) },
    { author: 'Ada Lovelace', text: 'We meet on Monday.', by: ADA, at: snowflakeToMs(root) },
    expect.objectContaining({ text: 'At nine.' }),
    expect.objectContaining({ text: 'In the hall.' }),
  ]);
});

test('the messages of a thread are included without its title if that cannot be read', async () => {
  const root = discord.core.say('ada', 'We meet on Monday.');
  discord.core.thread('ada', root, 'A thread');
  const question = discord.core.say('grace', '@Parley When?', { channel: root });
  const turn = turnOf(question, root);
  // Finds the channel of the answer, so that only the title is read from it below.
  await side.platform.showStatus(turn, 'is thinking…', 'work');
  discord.faults.add({ kind: 'refuse', code: 50_001, route: 'GET /channels/{channel_id}' });
  expect((await earlier(question, root)).messages).toMatchObject([{ text: 'We meet on Monday.' }]);
});

test('a question in a forum includes the title of the post, which is often the question itself', async () => {
  const post = discord.core.thread('grace', FORUM, 'When do we meet?', '@Parley please help');
  const title = {
    author: '(The title of the thread)',
    text: 'When do we meet?',
    by: GRACE,
    at: snowflakeToMs(post),
  };
  expect((await earlier(post, post, FORUM)).messages).toEqual([title]);
  const later = discord.core.say('grace', '@Parley And where?', { channel: post });
  const expected = [title, expect.objectContaining({ text: expect.stringContaining('please help') })];
  expect((await earlier(later, post, FORUM)).messages).toEqual(expected);
});

test('the title of a thread of the bot is not included: it is the question', async () => {
  const question = discord.core.say('grace', '@Parley Why is the sky blue?');
  const turn = turnOf(question);
  await side.platform.showStatus(turn, 'is thinking…', 'work');
  await side.platform.showStatus(turn, '');
  const later = discord.core.say('ada', 'I wonder too.', { channel: question });
  const texts = (await earlier(later, question)).messages.map(({ text }) => text);
  expect(texts).toEqual([expect.stringContaining('Why is the sky blue?')]);
});

test('the message of a question is read once for its prompt and its channel, and again when either is repeated', async () => {
  const read = 'GET /channels/{channel_id}/messages/{message_id}';
  const reads = () => discord.calls.filter(({ route }) => route === read).length;
  const question = discord.core.say('grace', '@Parley hello');
  const turn = turnOf(question);
  await Promise.all([earlier(question), side.platform.showStatus(turn, 'is thinking…', 'work')]);
  expect(reads()).toBe(1);
  await side.platform.showStatus(turn, '');
  await earlier(question);
  expect(reads()).toBe(2);
});
