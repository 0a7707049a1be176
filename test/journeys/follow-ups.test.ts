import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseAction } from '../../shared/domain/index.ts';
import { ADA } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { answersIn, botMessages, waitUntil, type JourneyHarness } from './harness.ts';

let harness: DiscordHarness;
let journey: JourneyHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ variables: { FOLLOW_UP_MODEL: 'model-c' } });
  journey = harness.journey();
  await waitUntil(() => journey.system.discord.gateway?.connected === 1);
});
afterAll(() => harness.close());

/** The cards with suggested questions in a thread. */
const offers = (thread: string) =>
  botMessages(journey.slack, thread).filter(({ blocks }) =>
    JSON.stringify(blocks ?? []).includes('follow.ask'),
  );

/** Resolves with the only such card in the thread, once it differs from this one. */
const newOffer = (thread: string, than?: string) =>
  journey.slack.core.until(() => {
    const [only, ...more] = offers(thread);
    return only && more.length === 0 && only.ts !== than ? only : undefined;
  });

/** The labels of the buttons on a card. */
const labelsOn = ({ blocks }: { readonly blocks?: unknown }): string[] =>
  [...JSON.stringify(blocks).matchAll(/"type":"button","text":\{"type":"plain_text","text":"([^"]+)"/gu)].map(
    ([, label = '']) => label,
  );

test('a follow-up question below an answer is quoted and answered for the person who clicks it', async () => {
  const { slack, upstream } = journey;
  const thread = await slack.say('ada', '@parley 2 + 2?');
  const offer = await newOffer(thread);
  expect(upstream.journal.at(-1)?.body).toMatchObject({ model: 'model-c' });
  const labels = labelsOn(offer);
  expect(new Set(labels).size).toBe(labels.length);
  const [question = ''] = labels;
  await slack.press('grace', offer.ts, question);
  const answer = await slack.core.until(() =>
    botMessages(slack, thread).find(
      ({ ts, text, blocks }) => ts > offer.ts && JSON.stringify([text, blocks]).includes(question),
    ),
  );
  await slack.core.until(() =>
    botMessages(slack, thread).find(
      ({ ts, blocks }) => ts > answer.ts && JSON.stringify(blocks ?? []).includes('parley:regenerate'),
    ),
  );
  await answersIn(slack, thread, 3);
  const bodies = upstream.journal.map(({ body }) => JSON.stringify(body));
  expect(bodies.some((body) => body.includes('"assistant"') && body.includes(question))).toBe(true);
});

describe('the follow-up questions below an answer are removed', () => {
  test('in Slack when one is used, the question is edited or deleted, the answer is regenerated, or another question is asked', async () => {
    const { slack } = journey;
    const ada = slack.users.find(({ name }) => name === 'ada')?.id ?? '';
    const thread = await slack.say('ada', '@parley 3 + 3?');
    const first = await newOffer(thread);
    slack.core.edit(ada, slack.channel, thread, '@parley 3 + 4?');
    const second = await newOffer(thread, first.ts);
    const answer = botMessages(slack, thread).find(({ blocks }) =>
      JSON.stringify(blocks ?? []).includes('parley:regenerate'),
    );
    await slack.press('ada', answer?.ts ?? '', 'Regenerate');
    const third = await newOffer(thread, second.ts);
    await slack.press('grace', third.ts, labelsOn(third)[0] ?? '');
    const fourth = await newOffer(thread, third.ts);
    const last = await slack.say('ada', 'And 5 + 5?', { thread });
    const fifth = await newOffer(thread, fourth.ts);
    slack.core.remove(ada, slack.channel, last);
    await slack.core.until(() => (offers(thread).length === 0 ? true : undefined));
    const all = [first, second, third, fourth, fifth].map(({ ts }) => ts);
    expect(new Set(all).size).toBe(all.length);
  });

  test('in Discord when one is used, the question is edited, or another question is asked', async () => {
    const discord = harness.discord();
    const question = discord.say('ada', undefined, '@Parley 3 + 3?');
    const newCard = (than?: string) =>
      discord.core.until(() => {
        const cards = harness
          .visibleMessages(ADA, question)
          .filter(({ one }) => button(one, 'follow.ask') !== '');
        const [only, ...more] = cards;
        return only && more.length === 0 && only.id !== than ? only : undefined;
      });
    const first = await newCard();
    discord.core.edit('ada', question, '@Parley 3 + 4?');
    const second = await newCard(first.id);
    await discord.press('grace', second.id, button(second.one, 'follow.ask'));
    const third = await newCard(second.id);
    discord.say('ada', question, 'And 5 + 5?');
    const fourth = await newCard(third.id);
    const all = [first, second, third, fourth].map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
  });
});

test('in Discord a follow-up question below the answer to /ask, in the channel itself, is answered in the conversation of the person', async () => {
  const discord = harness.discord();
  const { upstream } = journey;
  await discord.slash('ada', undefined, 'ask', { question: 'What is 4 + 4?' });
  const offer = await harness.once(ADA, /follow\.ask/u);
  const custom = button(offer.one, 'follow.ask');
  const [question = ''] = parseAction(custom)?.args ?? [];
  const before = harness.visibleMessages(ADA).length;
  await discord.press('ada', offer.id, custom);
  // The card is gone; the question, its answer and new suggestions follow.
  await discord.core.until(() => {
    const messages = harness.visibleMessages(ADA);
    return messages.length >= before + 2 && messages.every(({ id }) => id !== offer.id) ? true : undefined;
  });
  const prompts = upstream.journal.map(({ body }) => JSON.stringify(body));
  const followUps = prompts.filter((prompt) => prompt.includes('"assistant"') && prompt.includes(question));
  expect(followUps.some((prompt) => prompt.includes('What is 4 + 4?'))).toBe(true);
});
