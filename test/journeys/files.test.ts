import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pdf } from '../documents/pdf.ts';
import { PICTURES } from '../image-files/pictures.ts';
import type { Message } from '../simulators/slack/index.ts';
import {
  botMessages,
  dataFolder,
  type JourneyHarness,
  visibleTexts,
  startJourneyHarness,
  waitUntil,
} from './harness.ts';

const folder = dataFolder();
// As in Enterprise Grid: the file host redirects to another one, which requires the token again.
const slack = { filesRedirect: 'grid' } as const;
// The default model accepts pictures; this one does not.
const variables = { OTHER_MODELS: 'model-a' };
let journey: JourneyHarness;

beforeAll(async () => {
  journey = await startJourneyHarness(folder.path, { slack, variables });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

/** Resolves with the one message of an answer once it is complete and has this text. */
const finished = (thread: string, words = /./u): Promise<Message> =>
  journey.slack.core.until(() => {
    const messages = botMessages(journey.slack, thread);
    const content = JSON.stringify([messages[0]?.text, messages[0]?.blocks]);
    const done = messages.length === 1 && content.includes('parley:regenerate') && words.test(content);
    return done ? messages[0] : undefined;
  });

const lastAsked = (): string => JSON.stringify(journey.upstream.journal.at(-1)?.body);

test('a picture is sent to a model with vision; for another model the bot says so and names one with vision', async () => {
  const files = [{ name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64') }];
  const thread = await journey.slack.say('ada', '@parley What is in the picture?', { files });
  const message = await finished(thread);
  expect(lastAsked()).toContain('"image_url":{"url":"data:image/png;base64,');
  await journey.slack.press('ada', message.ts, 'Ask model-a');
  await finished(thread, /sea\.png.*my model, model-a, does not accept pictures; model-\w+ does/su);
  expect(lastAsked()).toContain('"model":"model-a"');
  expect(lastAsked()).not.toContain('image_url');
});

test('the question includes the text of PDFs and code, and the answer names what was left out', async () => {
  const code = `export const answer = 42;\n${'// and so on\n'.repeat(2_000)}`;
  const files = [
    { name: 'paper.pdf', content: pdf({ pages: ['The launch is in May'] }) },
    { name: 'answer.ts', content: code },
    { name: 'locked.pdf', content: pdf({ locked: true }) },
  ];
  const thread = await journey.slack.say('grace', '@parley What do they say? [[sim:tokens=50]]', { files });
  await finished(thread);
  for (const words of ['The launch is in May', 'export const answer = 42;']) {
    expect(lastAsked()).toContain(words);
  }
  const [text] = visibleTexts(journey, thread);
  expect(text).toMatch(/I read only the first 20,000 of [\d,]+ characters of `answer\.ts`/u);
  expect(text).toMatch(/`locked\.pdf`/u);
});

test('Regenerate works in place after a restart', async () => {
  const thread = await journey.slack.say('ada', '@parley What is 30 + 4?');
  const before = await finished(thread, /34/u);
  await journey.system.close();
  journey = await startJourneyHarness(folder.path, { slack, variables });
  const { upstream } = journey;
  await journey.slack.press('ada', before.ts, 'Regenerate');
  await waitUntil(() => upstream.journal.some(({ method, ended }) => method === 'POST' && ended === 'whole'));
  await journey.slack.delivery.idle();
  const after = await finished(thread, /34/u);
  expect(after.ts).toBe(before.ts);
  expect(lastAsked()).toContain('30 + 4');
});
