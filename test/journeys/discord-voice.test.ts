import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA, GRACE } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { slackVideoClip, voiceMessage } from './recordings.ts';
import { waitUntil, queuesAreEmpty, lastCompletionRequest } from './harness.ts';

/** A channel with automatic transcription. */
const VOICES = '301000000000000002';
let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness();
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

const done = (): Promise<void> => queuesAreEmpty(harness.journey().system);
/** The last prompt. */
const untilRequested = (words: string): Promise<void> =>
  waitUntil(() => lastCompletionRequest(harness.journey()).includes(words));

// First, because the relay caches settings for up to 30 s.
test('voice messages are transcribed automatically where a moderator enables it, except those of people who opted out', async () => {
  const discord = harness.discord();
  await discord.slash('ada', VOICES, 'voice', { do: 'auto' });
  await harness.once(ADA, /automatically/u, VOICES);
  await discord.slash('grace', VOICES, 'voice', { do: 'optout' });
  await harness.once(GRACE, /not sent anywhere/u, VOICES);
  const theirs = discord.say('grace', VOICES, '', await voiceMessage([5]));
  const first = discord.say('ada', VOICES, '', await voiceMessage([2, 4]));
  await harness.once(ADA, /two four.*\/voice do:mine are sent nowhere/u, first);
  expect(discord.core.messages(theirs, ADA)).toEqual([]);
  const filming = discord.say('ada', VOICES, 'From the phone', { files: [await slackVideoClip([3, 1])] });
  await harness.once(ADA, /three one/u, filming);
});

test('a voice message is transcribed on request, translated for one person, spoken to everybody, asked about, and its transcript is deleted with it', async () => {
  const discord = harness.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([4, 2, 1]));
  const countRequests = (): number =>
    harness.journey().upstream.journal.filter(({ path }) => path.endsWith('/transcription_or_translation'))
      .length;
  const before = countRequests();
  const asking = ['grace', 'ada'].map((name) => discord.menu(name, message, 'Transcribe'));
  expect((await Promise.all(asking)).map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
  const card = await harness.once(GRACE, /four two one/u, message);
  expect(JSON.stringify(card.one)).toContain(`<@${ADA}>`);
  await done();
  expect(
    harness.visibleMessages(ADA, message).filter(({ one }) => JSON.stringify(one).includes('four two one')),
  ).toHaveLength(1);
  expect(countRequests() - before).toBe(1);

  await discord.menu('grace', message, 'Transcribe');
  const notice = await harness.once(GRACE, /is already transcribed/u);
  expect(JSON.stringify(notice.one)).toContain(`/${message}/${card.id}`);

  await discord.slash('grace', undefined, 'voice', { do: 'language', language: 'fr' });
  await harness.once(GRACE, /You read recordings in: French/u);
  await discord.press('grace', card.id, button(card.one, 'voice.translate'));
  const french = await harness.once(GRACE, /quatre deux un/u, message);
  expect(harness.visibleMessages(ADA, message).map(({ id }) => id)).not.toContain(french.id);
  // Discord itself showed the progress in place of the answer: nothing of it remains.
  expect(harness.visibleMessages(GRACE, message).filter(({ id }) => id > card.id)).toEqual([french]);

  await discord.press('grace', french.id, button(french.one, 'voice.speak'));
  const reply = await harness.once(ADA, /waveform/u, message);
  const [sound] = readList(reply.one, 'attachments');
  expect(readString(sound, 'content_type')).toBe('audio/ogg');
  expect(JSON.stringify(sound)).toMatch(/"duration_secs":1\.\d/u);

  const form = await discord.press('ada', card.id, button(card.one, 'voice.ask-form'));
  await discord.submit('ada', form.id, { question: 'What was said?' });
  await untilRequested('What was said?');
  expect(lastCompletionRequest(harness.journey())).toContain('> four two one');
  await done();

  discord.core.remove('ada', message);
  await discord.core.until(() => {
    const left = new Set(harness.visibleMessages(ADA, message).map(({ id }) => id));
    return left.has(card.id) || left.has(reply.id) ? undefined : true;
  });
});

test('a question in a reply to a voice message transcribes it', async () => {
  const discord = harness.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([7, 3]));
  const how = { replyTo: message };
  const question = discord.say('grace', undefined, '@Parley What is said? [[sim:tool=transcribe]]', how);
  await harness.once(GRACE, /is being written out/u, question);
  const card = await harness.once(ADA, /seven three/u, message);
  expect(JSON.stringify(card.one)).toContain(`<@${ADA}>`);
  await done();
});

test('a voice message in a DM is answered, and so is the next', async () => {
  const dm = harness.discord().core.dm('ada');
  harness.discord().say('ada', dm, '', await voiceMessage([8, 8]));
  await untilRequested('eight eight');
  await done();
  harness.discord().say('ada', dm, '', await voiceMessage([9, 3]));
  await untilRequested('nine three');
  expect(lastCompletionRequest(harness.journey())).toMatch(/eight eight.*nine three/u);
});

test('a recording with /ask is transcribed in the channel before the question is answered', async () => {
  const discord = harness.discord();
  const { files } = await voiceMessage([8, 6, 4]);
  const [attachment] = files;
  if (!attachment) throw new Error('there is no file');
  await discord.slash('ada', undefined, 'ask', { question: 'Which numbers do I say?', attachment });
  const card = await harness.once(ADA, /eight six four.*voice\.translate/u);
  await untilRequested('Which numbers do I say?');
  expect(lastCompletionRequest(harness.journey())).toContain('eight six four');
  await done();
  // Earlier in this file she chose French.
  await discord.press('grace', card.id, button(card.one, 'voice.translate'));
  await harness.once(GRACE, /huit six quatre/u);
  expect(
    harness.visibleMessages(ADA).filter(({ one }) => button(one, 'press.regenerate') !== ''),
  ).toHaveLength(1);
});
