import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { slackAudioClip } from './recordings.ts';
import { slackAsker } from './slack-asker.ts';
import { botMessages, queuesAreEmpty, waitUntil } from './harness.ts';

/** Settings for the sampling of answers and transcripts reach the model servers, as far as the model lists them. */
let harness: DiscordHarness;
const { typed, ask } = slackAsker(() => harness.journey());

beforeAll(async () => {
  harness = await startDiscordHarness();
});
afterAll(() => harness.close());

const set = (name: string, value: string) => typed(`/parley settings ${name} ${value}`);

describe('the effort of reasoning', () => {
  test.each(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])(
    '%s is sent to a model that reasons, at the top level only',
    async (effort) => {
      await set('model', 'model-a');
      await set('effort', effort);
      const { sent, why } = await ask('What is 20 + 3?');
      expect(sent).toMatchObject([{ status: 200, body: { reasoning_effort: effort } }]);
      expect(sent[0]?.body).not.toHaveProperty('reasoning');
      expect(why).toMatch(effort === 'none' ? / 0 reasoning/u : /[1-9]\d* reasoning/u);
    },
  );

  test('is left out for a model that does not list reasoning', async () => {
    await set('model', 'model-c');
    const { sent, why } = await ask('What is 20 + 4?');
    expect(sent[0]?.body).not.toHaveProperty('reasoning_effort');
    expect(why).toMatch(/Left out for this model.*reasoning_effort/u);
    await set('effort', 'reset');
  });
});

test('with the same seed, the same question gets the same answer', async () => {
  await set('model', 'model-c');
  const answers: string[] = [];
  for (const seed of ['7', '7', '8']) {
    await set('seed', seed);
    const { answer, sent } = await ask('Tell me of the sea. [[sim:tokens=60]]');
    expect(sent).toMatchObject([{ status: 200, body: { seed: Number(seed) } }]);
    answers.push(answer);
  }
  expect(answers[0]).toBe(answers[1]);
  expect(answers[0]).not.toBe(answers[2]);
  await set('seed', 'reset');
});

test('an answer ends before a stop word', async () => {
  await set('stop', 'five, END');
  const { answer, sent } = await ask('Count. [[sim:say=one two three four five six]]');
  expect(sent[0]?.body).toMatchObject({ stop: ['five', 'END'] });
  expect(answer).toContain('four');
  expect(answer).not.toContain('five');
  await set('stop', 'reset');
});

describe('the bias of tokens', () => {
  test('is sent to a model that lists it', async () => {
    await set('model', 'model-e');
    await set('tokenBias', '1734:-100, 88:5');
    const { sent } = await ask('What is 20 + 5?');
    expect(sent).toMatchObject([{ status: 200, body: { logit_bias: { 1734: -100, 88: 5 } } }]);
  });

  test('is left out for another model', async () => {
    await set('model', 'model-c');
    const { sent, why } = await ask('What is 20 + 6?');
    expect(sent[0]?.body).not.toHaveProperty('logit_bias');
    expect(why).toMatch(/Left out for this model.*logit_bias/u);
    await set('tokenBias', 'reset');
  });

  test('is refused if it is out of range', async () => {
    expect(await set('tokenBias', '1734:-101')).not.toContain('1734:-101');
  });
});

describe('the confidence of an answer', () => {
  test('in Slack is shown by `why` for a model with log probabilities, and only where it is wanted', async () => {
    await set('model', 'model-a');
    expect((await ask('What is 20 + 7?')).why).not.toContain('Confidence');
    await set('confidence', 'yes');
    const { sent, why } = await ask('What is 20 + 8?');
    expect(sent).toMatchObject([{ status: 200, body: { logprobs: true } }]);
    expect(why).toMatch(/Confidence.*\d+% \(mean probability of the tokens\)/u);
    await set('model', 'model-e');
    const other = await ask('What is 20 + 9?');
    expect(other.why).toMatch(/Left out for this model.*logprobs/u);
    expect(other.why).not.toContain('Confidence');
    await set('confidence', 'reset');
    await set('model', 'reset');
  });

  test('in Discord is shown by `why`', async () => {
    const before = harness.discord();
    await before.slash('ada', undefined, 'settings', { name: 'model', value: 'model-a' });
    await harness.once(ADA, /model-a/u);
    await before.slash('ada', undefined, 'settings', { name: 'confidence', value: 'yes' });
    await harness.once(ADA, /Confidence/u);
    // Another process may have cached the settings for 30 s.
    await harness.restart();
    const discord = harness.discord();
    await waitUntil(() => harness.journey().system.discord.gateway?.connected === 1);
    const thread = discord.say('ada', undefined, '@Parley What is 30 + 1?');
    await harness.answers(ADA, 1, thread);
    await queuesAreEmpty(harness.journey().system);
    await discord.slash('ada', thread, 'why', {});
    const card = await harness.once(ADA, /mean probability of the tokens/u, thread);
    expect(JSON.stringify(card.one)).toMatch(/Confidence/u);
  });
});

test('transcripts have their own temperature and limit of tokens', async () => {
  const { slack, upstream } = harness.journey();
  await set('voiceTemperature', '0');
  await set('voiceMaxTokens', '512');
  const thread = await slack.say('ada', '', { files: [await slackAudioClip([2, 4])] });
  await slack.shortcut('ada', 'transcribe', thread);
  await slack.core.until(() =>
    botMessages(slack, thread).find(({ blocks }) => JSON.stringify(blocks ?? []).includes('two four')),
  );
  const request = upstream.journal.find(({ path }) => path.endsWith('/transcription_or_translation'));
  expect(request).toMatchObject({ status: 200, body: { temperature: 0, max_tokens: 512 } });
});
