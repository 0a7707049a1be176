import { expect, test } from '@jest/globals';
import { messageId, type Thread, userId } from '../../../../shared/domain/index.ts';
import { toWorkspaceId, toThread } from '../../../../shared/platforms/discord/index.ts';
import { ADA, GENERAL, GRACE, GUILD } from '../../../simulators/discord/index.ts';
import { discord, side, onDiscord } from '../on-discord.ts';

onDiscord();

const VOICE = { name: 'voice.ogg', content: Buffer.from('x'), contentType: 'audio/ogg' };
const say = (text: string, how?: Parameters<typeof discord.core.say>[2]) =>
  discord.core.say('ada', text, how);
const voice = (channel?: string) => say('listen', { channel, files: [VOICE] });
const turn = (thread: Thread, id: string) => ({
  thread,
  message: messageId(id),
  asker: userId(GRACE),
  askerWorkspace: toWorkspaceId(GUILD),
});
/** The found messages, each with the thread for its transcript. */
const recordingsOf = async (thread: Thread, id: string) =>
  (await side.platform.findRecordings?.(turn(thread, id))?.())?.map((one) => [
    String(one.id),
    String(one.thread.root),
  ]);

test('a question in a channel may refer to its recordings; a reply to a recording refers to that one', async () => {
  const [first, second] = [voice(), voice()];
  say('no file');
  say('a text', { files: [{ ...VOICE, name: 'a.txt', contentType: 'text/plain' }] });
  const question = say('@Parley What is said?');
  voice();
  const both = [first, second].map((id) => [id, id]);
  expect(await recordingsOf(toThread(GUILD, GENERAL, question), question)).toEqual(both);
  // A command leaves no message.
  const called = String(BigInt(question) + 1n);
  expect(await recordingsOf(toThread(GUILD, GENERAL, `c${ADA}`), called)).toEqual(both);
  const reply = say('@Parley What is said?', { replyTo: first });
  const thread = toThread(GUILD, GENERAL, reply);
  expect(await recordingsOf(thread, reply)).toEqual([[first, first]]);
  // Its thread still refers to that recording, and to those in it.
  await side.platform.reply(turn(thread, reply), []).publish('Wait.', { buttons: [], steps: [] });
  const inside = voice(reply);
  const later = say('And in French?', { channel: reply });
  expect(await recordingsOf(thread, later)).toEqual([
    [first, first],
    [inside, reply],
  ]);
});

test('a thread on a recording refers to that recording', async () => {
  const root = voice();
  const thread = toThread(GUILD, GENERAL, root);
  await side.platform.reply(turn(thread, root), []).publish('Heard.', { buttons: [], steps: [] });
  expect(await recordingsOf(thread, say('What was said?', { channel: root }))).toEqual([[root, root]]);
});

test('no recording is looked up for a private question, without the bot, or with automatic transcription; a failure of Discord rejects', async () => {
  const question = say('@Parley hello');
  for (const root of [`p${ADA}`, `u${ADA}`, GENERAL])
    expect(await recordingsOf(toThread(GUILD, GENERAL, root), question)).toBeUndefined();
  await expect(
    recordingsOf(toThread(GUILD, '399999999999999999', `c${ADA}`), question),
  ).rejects.toMatchObject({
    code: 10003,
  });
});
