import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADA, GRACE } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { longRecording } from './recordings.ts';
import { botMessages, waitUntil, contentOf } from './harness.ts';

const MINUTES = 6;
const DIGITS = Array.from({ length: MINUTES * 30 }, (_, n) => n % 10);
const SPEECH = '/v1/transcription_or_translation';
/** Chunks have 30 s, since every cut finds silence there. */
const PIECES = MINUTES * 2;
let harness: DiscordHarness;
let content: Uint8Array;

beforeAll(async () => {
  const starting = startDiscordHarness({ variables: { SPEECH_LIMIT: '6000/100' } });
  [harness, content] = await Promise.all([starting, longRecording(DIGITS, 2)]);
  await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

/** The chunks that were sent to the models. */
const sent = (): number => harness.journey().upstream.journal.filter(({ path }) => path === SPEECH).length;

/** From the fourth chunk on the models are slow, until this is called. */
function slowly(): () => void {
  const { control } = harness.journey().upstream;
  const name = control.addFault({ fault: { kind: 'late', ms: 2_000 }, path: SPEECH, skip: 3 });
  return () => void control.removeFault(name);
}

test('Slack: a long recording shows its progress; Stop keeps the transcript so far, and it can be continued', async () => {
  const { slack } = harness.journey();
  const [faster, before] = [slowly(), sent()];
  const files = [{ name: 'lecture.ogg', content, mimetype: 'audio/ogg' }];
  const thread = await slack.say('ada', 'For those who missed it.', { files });
  const card = (words: RegExp) =>
    slack.core.until(() => botMessages(slack, thread).find((one) => words.test(contentOf(one))));
  await slack.shortcut('grace', 'transcribe', thread);
  const running = await card(/Transcribing: \d:\d\d of 6:00/u);
  await slack.press('grace', running.ts, 'Stop');
  const stopped = await card(/Stopped at \d:\d\d of 6:00/u);
  faster();
  expect(stopped.ts).toBe(running.ts);
  expect(contentOf(stopped)).toContain('`0:06` three');
  expect(contentOf(stopped)).toContain('Translate');
  expect(contentOf(stopped)).not.toContain('voice.stop');
  expect(sent() - before).toBeLessThan(PIECES);
  await slack.shortcut('ada', 'transcribe', thread);
  const whole = await slack.core.until(() =>
    botMessages(slack, thread).find(
      (one) => contentOf(one).includes('Translate') && !contentOf(one).includes('Stopped at'),
    ),
  );
  expect(whole.ts).toBe(running.ts);
  expect(sent() - before).toBe(PIECES);
});

test('Discord: the same, only for the requester', async () => {
  const discord = harness.discord();
  const [faster, before] = [slowly(), sent()];
  const files = [{ name: 'lecture.ogg', content, contentType: 'audio/ogg' }];
  const message = discord.say('ada', undefined, 'For those who missed it.', { files });
  await discord.menu('ada', message, 'Transcribe');
  const running = await harness.once(ADA, /Transcribing: \d:\d\d of 6:00/u, message);
  await discord.press('grace', running.id, button(running.one, 'voice.stop'));
  await harness.once(GRACE, /Only the person who asked for this/u, message);
  await discord.press('ada', running.id, button(running.one, 'voice.stop'));
  const stopped = await harness.once(ADA, /Stopped at \d:\d\d of 6:00/u, message);
  faster();
  expect(stopped.id).toBe(running.id);
  expect(button(stopped.one, 'voice.stop')).toBe('');
  expect(sent() - before).toBeLessThan(PIECES);
});
