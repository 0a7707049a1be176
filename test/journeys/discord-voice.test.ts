import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listAt, textAt } from '../../shared/platforms/discord/inbound/json-path.ts';
import { ADA, GRACE } from '../simulators/discord/index.ts';
import { button, type DiscordWorld, startDiscordWorld } from './discord-world.ts';
import { film, voiceMessage } from './spoken.ts';
import { happens, workDone } from './system.ts';

/** A channel in which recordings are written out as they come. */
const VOICES = '301000000000000002';
let world: DiscordWorld;

beforeAll(async () => {
  world = await startDiscordWorld();
  await happens(() => world.journey().system.discord.gateway?.connected === 1);
}, 240_000);
afterAll(() => world.close());

const done = (): Promise<void> => workDone(world.journey().system);
/** The last question that a model was asked. */
const lastAsked = (): string =>
  JSON.stringify(
    world.journey().upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body ?? '',
  );
const asked = (words: string): Promise<void> => happens(() => lastAsked().includes(words));

// First: the relay keeps settings for up to 30 s, and would not know yet what is set here.
test('where a moderator wants that, voice messages are written out as they come, but not of who opted out', async () => {
  const discord = world.discord();
  await discord.slash('ada', VOICES, 'voice', { do: 'auto' });
  await world.once(ADA, /as they come/u, VOICES);
  await discord.slash('grace', VOICES, 'voice', { do: 'optout' });
  await world.once(GRACE, /sent nowhere/u, VOICES);
  const theirs = discord.say('grace', VOICES, '', await voiceMessage([5]));
  const first = discord.say('ada', VOICES, '', await voiceMessage([2, 4]));
  await world.once(ADA, /two four.*\/voice do:mine are sent nowhere/u, first);
  expect(discord.core.messages(theirs, ADA)).toEqual([]);
  const filming = discord.say('ada', VOICES, 'From the phone', { files: [await film([3, 1])] });
  await world.once(ADA, /three one/u, filming);
});

test('on request it is written out, read by one person in another language, heard by all, asked about, and gone with its message', async () => {
  const discord = world.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([4, 2, 1]));
  const heard = (): number =>
    world.journey().upstream.journal.filter(({ path }) => path.endsWith('/transcription_or_translation'))
      .length;
  const before = heard();
  const asking = ['grace', 'ada'].map((name) => discord.menu(name, message, 'Transcribe'));
  expect((await Promise.all(asking)).map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
  const card = await world.once(GRACE, /four two one/u, message);
  expect(JSON.stringify(card.one)).toContain(`<@${ADA}>`);
  await done();
  expect(
    world.seen(ADA, message).filter(({ one }) => JSON.stringify(one).includes('four two one')),
  ).toHaveLength(1);
  expect(heard() - before).toBe(1);

  await discord.menu('grace', message, 'Transcribe');
  const told = await world.once(GRACE, /is written out already/u);
  expect(JSON.stringify(told.one)).toContain(`/${message}/${card.id}`);

  await discord.slash('grace', undefined, 'voice', { do: 'language', language: 'fr' });
  await world.once(GRACE, /You read recordings in: French/u);
  await discord.press('grace', card.id, button(card.one, 'voice.translate'));
  const french = await world.once(GRACE, /quatre deux un/u, message);
  expect(world.seen(ADA, message).map(({ id }) => id)).not.toContain(french.id);
  // That it was on its way is said by Discord itself, in the place of the answer: nothing is left of it.
  expect(world.seen(GRACE, message).filter(({ id }) => id > card.id)).toEqual([french]);

  await discord.press('grace', french.id, button(french.one, 'voice.speak'));
  const spoken = await world.once(ADA, /waveform/u, message);
  const [sound] = listAt(spoken.one, 'attachments');
  expect(textAt(sound, 'content_type')).toBe('audio/ogg');
  expect(JSON.stringify(sound)).toMatch(/"duration_secs":1\.\d/u);

  const form = await discord.press('ada', card.id, button(card.one, 'voice.ask-form'));
  await discord.submit('ada', form.id, { question: 'What was said?' });
  await asked('What was said?');
  expect(lastAsked()).toContain('> four two one');
  await done();

  discord.core.remove('ada', message);
  await discord.core.until(() => {
    const left = new Set(world.seen(ADA, message).map(({ id }) => id));
    return left.has(card.id) || left.has(spoken.id) ? undefined : true;
  });
});

test('a model that is asked in a reply to one has it written out', async () => {
  const discord = world.discord();
  const message = discord.say('ada', undefined, '', await voiceMessage([7, 3]));
  const how = { replyTo: message };
  const question = discord.say('grace', undefined, '@Parley What is said? [[sim:tool=transcribe]]', how);
  await world.once(GRACE, /is being written out/u, question);
  const card = await world.once(ADA, /seven three/u, message);
  expect(JSON.stringify(card.one)).toContain(`<@${ADA}>`);
  await done();
});

test('a voice message to the bot alone is answered, and so is the next', async () => {
  const dm = world.discord().core.dm('ada');
  world.discord().say('ada', dm, '', await voiceMessage([8, 8]));
  await asked('eight eight');
  await done();
  world.discord().say('ada', dm, '', await voiceMessage([9, 3]));
  await asked('nine three');
  expect(lastAsked()).toMatch(/eight eight.*nine three/u);
});
