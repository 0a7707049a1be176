import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { answersIn, botMessages, dataFolder, type Journey, startJourney } from './system.ts';

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path, { variables: { FOLLOW_UP_MODEL: 'model-c' } });
}, 240_000);
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

test('a question that is offered below an answer is quoted and answered for whoever presses it', async () => {
  const { slack, upstream } = journey;
  const thread = await slack.say('ada', '@parley 2 + 2?');
  const offer = await slack.core.until(() =>
    botMessages(slack, thread).find(({ blocks }) => JSON.stringify(blocks ?? []).includes('follow')),
  );
  expect(upstream.journal.at(-1)?.body).toMatchObject({ model: 'model-c' });
  const label = /"type":"button","text":\{"type":"plain_text","text":"([^"]+)"/u;
  const question = label.exec(JSON.stringify(offer.blocks))?.[1] ?? '';
  await slack.press('grace', offer.ts, question);
  const asked = await slack.core.until(() =>
    botMessages(slack, thread).find(
      ({ ts, text, blocks }) => ts > offer.ts && JSON.stringify([text, blocks]).includes(question),
    ),
  );
  await slack.core.until(() =>
    botMessages(slack, thread).find(
      ({ ts, blocks }) => ts > asked.ts && JSON.stringify(blocks ?? []).includes('parley:regenerate'),
    ),
  );
  await answersIn(slack, thread, 4);
  const bodies = upstream.journal.map(({ body }) => JSON.stringify(body));
  expect(bodies.some((body) => body.includes('"assistant"') && body.includes(question))).toBe(true);
}, 20_000);
