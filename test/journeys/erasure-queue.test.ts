import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Message } from '../simulators/slack/index.ts';
import { slackAudioClip } from './recordings.ts';
import {
  botMessages,
  dataFolder,
  waitUntil,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
  contentOf,
} from './harness.ts';

// A question and a recording that wait in a queue during an erasure. Neither may be processed.

let folder: ReturnType<typeof dataFolder>;
let journey: JourneyHarness;

beforeEach(async () => {
  folder = dataFolder();
  journey = await startJourneyHarness(folder.path);
});
afterEach(async () => {
  await journey.system.close();
  folder.remove();
});

const CHAT = '/v1/chat/completions';
const SPEECH = '/v1/transcription_or_translation';
/** Long enough for a question to return to the queue, where it is hidden. */
const BUSY = { fault: { kind: 'limited', retryAfter: 15 } } as const;
const requestsTo = (path: string): string =>
  JSON.stringify(journey.upstream.journal.filter((one) => one.path === path && one.status === 200));

/** The bodies of the messages in the files of the queues. */
function bodies(): { readonly queue: string; readonly body: string }[] {
  const sent = v.object({ queue: v.string(), message: v.object({ body: v.string() }) });
  return readFileSync(join(folder.path, 'queues.jsonl'), 'utf8')
    .split('\n')
    .flatMap(
      (line) => v.parse(v.fallback(v.optional(sent), undefined), line === '' ? {} : JSON.parse(line)) ?? [],
    )
    .map(({ queue, message: { body } }) => ({ queue, body }));
}

/** The ephemeral message for a person, once it contains this text. */
const noticeFor = (name: string, words: RegExp): Promise<Message> =>
  journey.slack.core.until(() =>
    [...(journey.slack.core.state.messages.get(journey.slack.channel)?.values() ?? [])].findLast(
      (one) =>
        one.ephemeralTo === journey.slack.users.find((user) => user.name === name)?.id &&
        words.test(contentOf(one)),
    ),
  );

async function forgetMe(name: string): Promise<void> {
  await journey.slack.command(name, '/parley forget me');
  const card = await noticeFor(name, /Everything about me/u);
  await journey.slack.press(name, card.ts, 'Everything about me');
  await noticeFor(name, /Done: I have forgotten/u);
}

/** A question and a recording that wait for the models, which respond only after a restart of the system. */
async function leaveWaiting() {
  const { slack, upstream } = journey;
  upstream.control.addFault({ ...BUSY, path: CHAT });
  upstream.control.addFault({ ...BUSY, path: SPEECH });
  const thread = await slack.say('grace', '@parley What about canary-waiting?');
  const recorded = await slack.say('grace', '', { files: [await slackAudioClip([7, 7, 1, 9])] });
  await slack.shortcut('grace', 'transcribe', recorded);
  const limited = (path: string) => upstream.journal.some((one) => one.path === path && one.status === 429);
  await waitUntil(() => limited(CHAT) && limited(SPEECH));
  const queued = bodies().find(({ body }) => body.includes('canary-waiting') && body.includes('"ask"'));
  expect(queued?.queue).toMatch(/^Tasks/u);
  return { thread, recorded };
}

/** Restarts the system: hidden messages are redelivered at once, and the models respond. */
async function beginAnew(): Promise<void> {
  await journey.system.close();
  journey = await startJourneyHarness(folder.path);
  await queuesAreEmpty(journey.system);
}

test('after “forget me”, queued questions are not answered and queued recordings are not transcribed', async () => {
  const { thread, recorded } = await leaveWaiting();
  const before = botMessages(journey.slack, thread).length;
  await forgetMe('grace');
  await beginAnew();
  // Nothing was posted after it, and no model or speech request sent.
  expect(botMessages(journey.slack, thread).length).toBeLessThanOrEqual(before);
  expect(botMessages(journey.slack, recorded).map(contentOf).join()).not.toContain('seven');
  expect(requestsTo(CHAT)).not.toContain('canary-waiting');
  expect(requestsTo(SPEECH)).toBe('[]');
  await journey.system.close();
  expect(bodies().filter(({ body }) => body.includes('canary-waiting'))).toEqual([]);
});
