import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { register } from '../../infra/cli/register.ts';
import { type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { idAt, listAt, textAt } from '../../shared/platforms/discord/json.ts';
import { opusFile, opusPackets } from '../media/encode.ts';
import { ADA, type DiscordSimulator, GRACE } from '../simulators/discord/index.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { dataFolder, happens, workDone } from './system.ts';

const folder = dataFolder();
const RATE = 48_000;
/** A channel in which recordings are written out as they come. */
const VOICES = '301000000000000002';
let system: LocalSystem;
let discord: DiscordSimulator;

beforeAll(async () => {
  system = await startLocal({
    data: folder.path,
    port: 0,
    upstream: { paceMs: 0 },
    discord: { shared: process.env['PARLEY_SHARED'] },
  });
  if (!system.discord.simulator) throw new Error('Discord is real');
  discord = system.discord.simulator;
  await happens(() => system.discord.gateway?.connected === 1);
  const { applicationId, botToken, apiUrl } = discord;
  const env = { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl };
  await register({ env, yes: true, say: () => undefined, ask: async () => true });
}, 240_000);
afterAll(async () => {
  await system.close();
  folder.remove();
});

/** The newest message of the bot that a person sees in a channel, once there is one with these words. */
const seen = (as: string, channel: string | undefined, words: string) =>
  discord.core.until(() =>
    discord.core
      .messages(channel, as)
      .filter((one) => idAt(one, 'author', 'id') === discord.applicationId)
      .findLast((one) => JSON.stringify(one).includes(words)),
  );

/** The id of a control by what it does. */
const control = (one: unknown, deed: string): string =>
  new RegExp(`"custom_id":"([^"]*${deed.replace('.', '\\.')}[^"]*)"`, 'u').exec(JSON.stringify(one))?.[1] ??
  '';

/** Digits as a voice message of Discord's. */
async function voiceMessage(digits: readonly number[]) {
  const samples = speakDigits(digits, { rate: RATE });
  const content = await opusFile(opusPackets({ channels: [samples], rate: RATE }), 'ogg');
  const durationSecs = samples.length / RATE;
  const sound = { contentType: 'audio/ogg', durationSecs, waveform: 'AAAA' };
  return { files: [{ name: 'voice-message.ogg', content, ...sound }], voice: true };
}

// First: the relay keeps settings for up to 30 s, and would not know yet what is set here.
test('where a moderator wants that, voice messages are written out as they come, but not of who opted out', async () => {
  await discord.slash('ada', VOICES, 'voice', { do: 'auto' });
  await seen(ADA, VOICES, 'as they come');
  await discord.slash('grace', VOICES, 'voice', { do: 'optout' });
  await seen(GRACE, VOICES, 'sent nowhere');
  const theirs = discord.say('grace', VOICES, '', await voiceMessage([5]));
  const first = discord.say('ada', VOICES, '', await voiceMessage([2, 4]));
  const card = await seen(ADA, first, 'two four');
  expect(JSON.stringify(card)).toContain('/voice optout');
  expect(discord.core.messages(theirs, ADA)).toEqual([]);
}, 60_000);

test('on request it is written out, read by one person in another language, heard by all, asked about, and gone with its message', async () => {
  const message = discord.say('ada', undefined, '', await voiceMessage([4, 2, 1]));
  expect((await discord.menu('grace', message, 'Transcribe')).acknowledged).toBe(true);
  const card = await seen(GRACE, message, 'four two one');
  const cardId = idAt(card, 'id') ?? '';
  expect(JSON.stringify(card)).toContain(`<@${ADA}>`);
  await workDone(system);

  await discord.menu('grace', message, 'Transcribe');
  const told = await seen(GRACE, undefined, 'is written out already');
  expect(JSON.stringify(told)).toContain(`/${message}/${cardId}`);

  await discord.slash('grace', undefined, 'voice', { do: 'language', language: 'fr' });
  await seen(GRACE, undefined, 'You read recordings in: French');
  await discord.press('grace', cardId, control(card, 'voice.translate'));
  const french = await seen(GRACE, message, 'quatre deux un');
  expect(discord.core.messages(message, ADA).map((one) => idAt(one, 'id'))).not.toContain(idAt(french, 'id'));

  await discord.press('grace', idAt(french, 'id') ?? '', control(french, 'voice.speak'));
  const spoken = await seen(ADA, message, 'waveform');
  const [sound] = listAt(spoken, 'attachments');
  expect(textAt(sound, 'content_type')).toBe('audio/ogg');
  expect(JSON.stringify(sound)).toMatch(/"duration_secs":1\.\d/u);

  const form = await discord.press('ada', cardId, control(card, 'voice.ask-form'));
  await discord.submit('ada', form.id, { question: 'What was said?' });
  await asked('What was said?');
  expect(lastAsked()).toContain('> four two one');
  await workDone(system);

  discord.core.remove('ada', message);
  const gone = [cardId, idAt(spoken, 'id')];
  await discord.core.until(() =>
    discord.core.messages(message, ADA).every((one) => !gone.includes(idAt(one, 'id'))) ? true : undefined,
  );
}, 60_000);

test('a voice message to the bot alone is answered, and so is the next', async () => {
  const dm = discord.core.dm('ada');
  discord.say('ada', dm, '', await voiceMessage([8, 8]));
  await asked('eight eight');
  await workDone(system);
  discord.say('ada', dm, '', await voiceMessage([9, 3]));
  await asked('nine three');
  expect(lastAsked()).toMatch(/eight eight.*nine three/u);
}, 60_000);

/** The last question that a model was asked. */
const lastAsked = (): string =>
  JSON.stringify(
    system.upstream.simulator?.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body ?? '',
  );
const asked = (words: string): Promise<void> => happens(() => lastAsked().includes(words));
