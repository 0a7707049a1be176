import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PICTURES } from '../image-files/pictures.ts';
import {
  answersIn,
  botMessages,
  dataFolder,
  type JourneyHarness,
  startJourneyHarness,
  queuesAreEmpty,
  waitUntil,
} from './harness.ts';

const MB = 1024 * 1024;
const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path);
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** The number of answers in the log of a function. */
const answersOf = (name: string): number =>
  readFileSync(join(folder.path, 'logs', `${name}.log`), 'utf8').split('"event":"answer.ended"').length - 1;

/** A picture of this many bytes, and some more: those after its end are ignored. */
const picture = (name: string, bytes: number) => ({
  name,
  content: Buffer.concat([Buffer.from(PICTURES.png, 'base64'), Buffer.alloc(bytes)]),
});

/** The most that one question may have: three pictures of 5 MB. */
const LARGEST = ['a', 'b', 'c'].map((name) => picture(`${name}.png`, 5 * MB - 1_000));
/** The smallest that an ordinary worker has no room for: a picture takes five times its size, of 10 MB. */
const LARGE = [picture('d.png', 2.25 * MB)];

test('large and ordinary questions at the same time are answered once each, and the large worker answers the large ones', async () => {
  const { slack, system, upstream } = journey;
  const questions = Array.from({ length: 10 }, (_, n) =>
    slack.say('ada', `@parley What is in picture ${n}?`, { files: n === 0 ? LARGEST : LARGE }),
  );
  const words = slack.say('grace', '@parley Sum it up', {
    files: [{ name: 'long.txt', content: 'many words '.repeat(900_000) }],
  });
  const plain = Array.from({ length: 5 }, (_, n) => slack.say('grace', `@parley What is 1 + ${n}?`));
  const threads = await Promise.all([...questions, words, ...plain]);
  await Promise.all(threads.map((thread) => answersIn(slack, thread)));
  await queuesAreEmpty(system);
  for (const thread of threads) expect(botMessages(slack, thread)).toHaveLength(1);
  const requests = upstream.journal.filter(({ path }) => path.endsWith('/chat/completions'));
  expect(requests.length).toBe(threads.length);
  const withPictures = requests.filter(({ body }) => JSON.stringify(body).includes('data:image/png'));
  expect(withPictures).toHaveLength(10);
  // The lines of a function reach its log a little after its work is done.
  await waitUntil(() => answersOf('LargeWorker') + answersOf('Worker') >= threads.length);
  expect([answersOf('LargeWorker'), answersOf('Worker')]).toEqual([11, 5]);
});
