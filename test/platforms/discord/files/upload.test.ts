import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { messageId, type Thread, userId } from '../../../../shared/domain/index.ts';
import {
  type CardMessenger,
  ResponseOnlyError,
  type Upload,
} from '../../../../shared/platforms/ports/index.ts';
import {
  createDiscordMessenger,
  createRestCall,
  toWorkspaceId,
  toThread,
} from '../../../../shared/platforms/discord/index.ts';
import { listCdnOrigins } from '../../../../shared/platforms/discord/index.ts';
import { readId, readList } from '../../../../shared/platforms/discord/api/json-path.ts';
import {
  type DiscordSimulator,
  GENERAL,
  GUILD,
  startDiscordSimulator,
} from '../../../simulators/discord/index.ts';

let discord: DiscordSimulator;
let stage: CardMessenger;
let thread: Thread;

beforeAll(async () => {
  discord = await startDiscordSimulator({ shared: process.env['PARLEY_SHARED'] });
});
afterAll(() => discord.close());
beforeEach(() => {
  discord.reset();
  const { apiUrl, applicationId, botToken, core } = discord;
  const time = { now: () => Date.now(), sleep: () => Promise.resolve() };
  const token = async () => botToken;
  const call = createRestCall({ apiUrl, applicationId, token, now: time.now, random: () => 0.5 });
  const cdn = listCdnOrigins(apiUrl);
  stage = createDiscordMessenger({
    call,
    time,
    applicationId,
    guild: async () => ({ tier: 0 }),
    findInteractionToken: async () => undefined,
    cdnOrigins: cdn,
  });
  thread = toThread(toWorkspaceId(GUILD), GENERAL, messageId(core.say('ada', 'A picture')));
});

async function* bytes(): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(Buffer.from('a film'));
}
const film = (): Upload => ({ name: 'video.mp4', mimetype: 'video/mp4', bytes: 6, content: bytes() });
const posts = () => discord.calls.filter(({ route }) => route === 'POST /channels/{channel_id}/messages');
const filesIn = () =>
  discord.core.messages(thread.root).filter((one) => readList(one, 'attachments').length > 0);

test('a file is posted once per key and found by it; another key is another file', async () => {
  const first = await stage.upload(thread, film(), 'job-1');
  const sent = posts().length;
  // Found by its name, because Discord remembers a nonce for minutes only.
  expect(await stage.upload(thread, film(), 'job-1')).toBe(first);
  expect(posts()).toHaveLength(sent);
  await stage.upload(thread, film(), 'job-2');
  expect(filesIn()).toHaveLength(2);
  expect(await stage.findUploads(thread, 'job-1')).toEqual([first]);
  expect(filesIn().map((one) => readId(one, 'id'))).toContain(first);
});

test.each(['会議-文字起こし.srt', 'réunion d’équipe.txt'])(
  'a file is found although Discord changes its name: %s',
  async (name) => {
    const first = await stage.upload(thread, { ...film(), name }, 'job-1');
    expect(await stage.upload(thread, { ...film(), name }, 'job-1')).toBe(first);
    expect(await stage.findUploads(thread, 'job-1')).toEqual([first]);
    expect(filesIn()).toHaveLength(1);
    expect(JSON.stringify(filesIn())).toMatch(/"filename":"[0-9a-f]{16}\.(?:srt|txt)"/u);
  },
);

test('the recipient of a file is named, and nobody is pinged', async () => {
  await stage.upload(thread, { ...film(), words: '> waves <@102>', by: userId('101') }, 'job-1');
  expect(filesIn()[0]?.['content']).toMatch(/^<@101>\n> waves < ?@102>$/u);
  // No link in it is unfurled.
  expect(filesIn()[0]?.['flags']).toBe(4);
});

test('a card with the same key is not taken for the file', async () => {
  const card = await stage.postCard(thread, { title: 'On its way', parts: [] }, 'job-1');
  const file = await stage.upload(thread, film(), 'job-1');
  expect(file).not.toBe(card);
  expect(filesIn()).toHaveLength(1);
});

const voiceUpload = (): Upload => ({
  ...film(),
  name: 'voice-message.ogg',
  mimetype: 'audio/ogg',
  words: 'In French',
  voice: { seconds: 1.5, waveform: Buffer.from([0, 128, 255]) },
});
const VOICE_FLAG = 8192;

test('speech is a voice message, or an ordinary file where voice messages are not accepted', async () => {
  await stage.upload(thread, voiceUpload(), 'speech-1');
  expect(filesIn()[0]).toMatchObject({
    flags: VOICE_FLAG,
    attachments: [{ duration_secs: 1.5, waveform: 'AID/' }],
  });
  discord.faults.add({ kind: 'refuse', code: 50013, route: 'POST /channels/{channel_id}/messages' });
  await stage.upload(thread, voiceUpload(), 'speech-2');
  const [, plain] = filesIn();
  expect(plain).toMatchObject({ content: 'In French', attachments: [{ filename: 'voice-message.ogg' }] });
  expect(Number(plain?.['flags']) & VOICE_FLAG).toBe(0);
});

test('where the bot can only respond to interactions, no file is posted', async () => {
  const responses = { ...thread, root: messageId('u101') };
  await expect(stage.upload(responses, film(), 'job-1')).rejects.toBeInstanceOf(ResponseOnlyError);
  expect(posts()).toEqual([]);
});

test.each([
  ['is too large with the fields of its request', 40_005, ['files.upload.too-large', { mb: 10 }]],
  [
    'may not be attached in the guild, though the bot has the permission',
    400_001,
    ['files.upload.not-attached'],
  ],
])('a file that %s is refused with the reason', async (_, code, why) => {
  discord.faults.add({ kind: 'refuse', code, route: 'POST /channels/{channel_id}/messages' });
  await expect(stage.upload(thread, film(), 'job-1')).rejects.toMatchObject({ why });
});
