import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { botMessages, dataFolder, queuesAreEmpty } from './harness.ts';
import { RAW_KEY, RawModelServer, type Script } from './raw-model-server.ts';
import { slackAudioClip } from './recordings.ts';

// Voice messages on a speech service of hand-written bytes.
const PATH = '/v1/transcription_or_translation';
const folder = dataFolder();
const server = new RawModelServer();
let journey: Awaited<ReturnType<RawModelServer['start']>>;

beforeAll(async () => {
  journey = await server.start(folder.path);
});
afterAll(async () => {
  await journey.close();
  folder.remove();
});

/** What people read after somebody has a recording transcribed, and the requests for it. */
async function transcribed(script: Script) {
  const { slack, system } = journey;
  server.respond(PATH, script);
  const from = server.journal.length;
  const thread = await slack.say('ada', '', { files: [await slackAudioClip([1, 2])] });
  await slack.shortcut('grace', 'transcribe', thread);
  const message = await slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
      (one) => one.thread === thread && one.user === slack.botUserId && !/…/u.test(one.text),
    ),
  );
  await queuesAreEmpty(system);
  const all = botMessages(slack, thread).map(({ text, blocks }) => JSON.stringify([text, blocks]));
  return { text: all.join('\n'), message, requests: server.journal.slice(from) };
}

test('a transcript without anything else is shown, and its key is in X-Api-Key', async () => {
  const { text, requests } = await transcribed(() => ({
    json: { transcript: 'All is well.', translation: null, transcript_translation_with_timestamp: null },
  }));
  expect(text).toContain('> All is well.');
  expect(requests).toMatchObject([{ path: PATH, body: { sampling_rate: 16_000 } }]);
  const { headers } = server.requests.findLast(({ path }) => path === PATH) ?? {};
  expect(headers).toMatchObject({ 'x-api-key': RAW_KEY });
});

test('a response without a transcript is said to have no speech', async () => {
  const { text } = await transcribed(() => ({ json: { transcript: null, audio_base64: null } }));
  expect(text).toMatch(/There is no speech in this recording/u);
});

test('a 429 with Retry-After is sent again after this time', async () => {
  const { text, requests } = await transcribed((nth) =>
    nth === 1
      ? { status: 429, headers: { 'retry-after': '1' }, json: { error: { code: 'rate_limit_exceeded' } } }
      : { json: { transcript: 'All is well.' } },
  );
  expect(text).toContain('> All is well.');
  expect(requests).toHaveLength(2);
  expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test.each([
  ['an error object', { json: { error: { message: 'Bad sound.', code: 'bad_audio' } } }],
  ['an error text', { json: { error: 'Bad sound.' } }],
  ['a detail', { json: { detail: 'Bad sound.' } }],
  ['a list of details', { json: { detail: [{ loc: ['body'], msg: 'Bad sound.', type: 'x' }] } }],
  ['plain text', { text: 'Bad sound.' }],
])('a 400 with %s is reported, and sent once', async (_, response) => {
  const { text, requests } = await transcribed(() => ({ status: 400, ...response }));
  expect(requests).toHaveLength(1);
  expect(text).toContain('The speech service did not accept this recording');
});
