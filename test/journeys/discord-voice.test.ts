import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { register } from '../../infra/cli/register.ts';
import { type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { idAt, listAt, textAt } from '../../shared/platforms/discord/json.ts';
import { opusFile, opusPackets } from '../media/encode.ts';
import { ADA, type DiscordSimulator, GRACE } from '../simulators/discord/index.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { dataFolder } from './system.ts';

const folder = dataFolder();
const RATE = 48_000;
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

test('a voice message is written out on request, translated for one reader, and spoken back as a voice message', async () => {
  const samples = speakDigits([4, 2, 1], { rate: RATE });
  const content = await opusFile(opusPackets({ channels: [samples], rate: RATE }), 'ogg');
  const file = {
    name: 'voice-message.ogg',
    content,
    contentType: 'audio/ogg',
    durationSecs: 1.2,
    waveform: 'AAAA',
  };
  const message = discord.say('ada', undefined, '', { files: [file], voice: true });
  expect((await discord.menu('grace', message, 'Transcribe')).acknowledged).toBe(true);
  const card = await seen(GRACE, message, 'four two one');
  expect(JSON.stringify(card)).toContain(`<@${ADA}>`);

  await discord.menu('grace', message, 'Transcribe');
  const told = await seen(GRACE, undefined, 'is written out already');
  expect(JSON.stringify(told)).toContain(`/${message}/${idAt(card, 'id')}`);

  await discord.slash('grace', undefined, 'voice', { do: 'language', language: 'fr' });
  await seen(GRACE, undefined, 'You read recordings in: French');
  await discord.press('grace', idAt(card, 'id') ?? '', control(card, 'voice.translate'));
  const french = await seen(GRACE, message, 'quatre deux un');
  expect(discord.core.messages(message, ADA).map((one) => idAt(one, 'id'))).not.toContain(idAt(french, 'id'));

  await discord.press('grace', idAt(french, 'id') ?? '', control(french, 'voice.speak'));
  const spoken = await seen(ADA, message, 'waveform');
  const [sound] = listAt(spoken, 'attachments');
  expect(textAt(sound, 'content_type')).toBe('audio/ogg');
  expect(JSON.stringify(sound)).toMatch(/"duration_secs":1\.\d/u);
}, 120_000);
