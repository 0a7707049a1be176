import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GENERAL } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages, waitUntil, queuesAreEmpty } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness();
});
afterAll(() => harness.close());

/**
 * The start of the footer. A server reports no usage when its stream breaks off, so tokens and cost are estimated.
 */
const FOOTER = /[\w-]+ · (?:[\d,]+ tokens · \$\d|about [\d,]+ tokens \(estimated\) · ≈ \$\d)/gu;
const CUT = '[[sim:say=one two three four five six]] [[sim:cut=4]]';

/** The number of model requests. */
const countRequests = (): number =>
  harness.journey().upstream.journal.filter(({ path }) => path.endsWith('/chat/completions')).length;

/** The positions of the text and of the footer in what people see. */
function places(content: string, words: string) {
  const lines = [...content.matchAll(FOOTER)].map(({ index }) => index);
  return { words: content.lastIndexOf(words), lines };
}

/** Whether the footer is shown once, below the text. */
function isBelow(content: string, words: string): boolean {
  const { words: at, lines } = places(content, words);
  return at >= 0 && lines.length === 1 && (lines[0] ?? -1) > at;
}

describe('the footer with model, tokens and cost appears once, below the text', () => {
  test('in Slack: of a complete, an interrupted, a continued and a regenerated answer', async () => {
    const { slack } = harness.journey();
    await slack.command('ada', '/parley settings footer yes');
    await slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
        ({ ephemeralTo }) => ephemeralTo,
      ),
    );
    const thread = await slack.say('ada', `@parley ${CUT}`);
    const finished = (words: RegExp) =>
      slack.core.until(() => {
        const [answer] = botMessages(slack, thread);
        const content = JSON.stringify([answer?.text, answer?.blocks]);
        return content.includes('parley:regenerate') && words.test(content)
          ? { ts: answer?.ts ?? '', content }
          : undefined;
      });
    const broken = await finished(/was interrupted/u);
    expect(isBelow(broken.content, 'was interrupted')).toBe(true);
    await slack.press('ada', broken.ts, 'Continue');
    const whole = await finished(/^(?!.*broke off)/su);
    expect(isBelow(whole.content, 'one two')).toBe(true);
    const before = countRequests();
    await slack.press('ada', broken.ts, 'Regenerate');
    await waitUntil(() => countRequests() > before);
    await queuesAreEmpty(harness.journey().system);
    const anew = await finished(/was interrupted|one two/u);
    expect(isBelow(anew.content, 'one two')).toBe(true);
  });

  test('in Slack: what was masked before it left, and the model got the placeholder', async () => {
    const { slack, upstream } = harness.journey();
    await slack.command('ada', '/parley settings mask cards for:workspace');
    await queuesAreEmpty(harness.journey().system);
    const thread = await slack.say('ada', '@parley Whose is 4111 1111 1111 1111?');
    const answerText = await slack.core.until(() => {
      const [answer] = botMessages(slack, thread);
      const content = JSON.stringify([answer?.text, answer?.blocks]);
      return content.includes('parley:regenerate') ? content : undefined;
    });
    expect(answerText).toContain('Masked before it left: 1 card number');
    const { body } = upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions')) ?? {};
    expect(JSON.stringify(body)).toContain('Whose is [card 1]?');
    expect(JSON.stringify(upstream.journal.map((one) => one.body))).not.toContain('1111 1111');
  });

  test('in Discord: of an interrupted and a continued answer', async () => {
    const discord = harness.discord();
    await discord.slash('ada', GENERAL, 'settings', { name: 'footer', value: 'yes' });
    await harness.once(ADA, /My settings/u);
    await discord.slash('ada', GENERAL, 'ask', { question: CUT });
    const finished = (passes: (text: string) => boolean) =>
      discord.core.until(() =>
        harness
          .visibleMessages(ADA)
          .findLast(({ one, text }) => button(one, 'press.regenerate') !== '' && passes(text)),
      );
    const broken = await finished((text) => text.includes('was interrupted'));
    expect(isBelow(broken.text, 'was interrupted')).toBe(true);
    await discord.press('ada', broken.id, button(broken.one, 'press.continue'));
    const whole = await finished((text) => text.includes('one two') && !text.includes('was interrupted'));
    expect(isBelow(whole.text, 'one two')).toBe(true);
  });
});

test('private data is masked before it reaches the model, and the asker is told, in Slack and Discord', async () => {
  const { slack, upstream } = harness.journey();
  const discord = harness.discord();
  const card = '4111 1111 1111 1111';
  await slack.command('ada', '/parley settings name:mask value:cards for:workspace');
  await discord.slash('ada', GENERAL, 'settings', { name: 'mask', value: 'cards', for: 'workspace' });
  await harness.once(ADA, /mask/u);
  const before = upstream.journal.length;
  const thread = await slack.say('ada', `@parley Is ${card} valid?`);
  await slack.core.until(() =>
    botMessages(slack, thread).find((one) =>
      JSON.stringify(one.blocks).includes('Masked before it left: 1 card number'),
    ),
  );
  await discord.slash('ada', GENERAL, 'ask', { question: `Is ${card} valid?` });
  await harness.once(ADA, /Masked before it left: 1 card number/u);
  const prompts = JSON.stringify(upstream.journal.slice(before));
  expect(prompts.match(/Is \[card 1\] valid\?/gu)?.length).toBeGreaterThanOrEqual(2);
  expect(prompts).not.toContain(card);
});
