import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GRACE, LOUNGE } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';

let harness: DiscordHarness;
beforeAll(async () => {
  harness = await startDiscordHarness();
});
afterAll(() => harness.close());

const ask = (as: string, question: string, channel?: string, secret?: boolean) =>
  harness.discord().slash(as, channel, 'ask', { question, ...(secret && { private: true }) });

describe('Discord answered end to end', () => {
  test('/ask is deferred, answered in place with its question, and in the history of the next question', async () => {
    expect((await ask('ada', 'My name is Ada. What is 6 * 7?')).acknowledged).toBe(true);
    expect((await harness.answers(ADA, 1)).at(-1)?.text).toMatch(
      /^> My name is Ada\. What is 6 \\\* 7\?\n[^]*42/u,
    );
    await ask('ada', 'What is my name?');
    expect((await harness.answers(ADA, 2)).at(-1)?.text).toContain('Your name is Ada');
  });

  test('a private question is visible to nobody else, and in no prompt of anybody else', async () => {
    await ask('grace', 'My name is Grace. What is 1 + 1?', undefined, true);
    const before = (await harness.answers(ADA, 0)).length;
    const mine = await harness.answers(GRACE, before + 1);
    expect(mine.at(-1)?.text).toMatch(/^1 \+ 1 = \*\*2\*\*/u);
    expect(await harness.answers(ADA, 0)).toHaveLength(before);
    await ask('ada', 'What is my name?');
    expect((await harness.answers(ADA, before + 1)).at(-1)?.text).not.toContain('Grace');
  });

  test('the message command “Ask about this” asks for a question, and only its person sees the answer', async () => {
    const { core } = harness.discord();
    const [countBefore, others] = [
      (await harness.answers(GRACE, 0)).length,
      (await harness.answers(ADA, 0)).length,
    ];
    const recipe = core.say('ada', 'Two eggs, 200 g of flour.');
    const menu = await harness.discord().menu('grace', recipe, 'Ask about this');
    const question = 'What was I told of flour?';
    expect((await harness.discord().submit('grace', menu.id, { question })).acknowledged).toBe(true);
    await harness.answers(GRACE, countBefore + 1);
    const requestBody = JSON.stringify(harness.journey().upstream.journal.at(-1)?.body);
    expect(requestBody).toContain(question);
    expect(requestBody).toContain('> Two eggs, 200 g of flour.');
    expect(await harness.answers(ADA, 0)).toHaveLength(others);
  });

  test('Regenerate answers again in place for the asker; others get an ephemeral refusal', async () => {
    const last = (await harness.answers(ADA, 1)).at(-1);
    const id = last?.id ?? '';
    const press = (as: string, what: string) => harness.discord().press(as, id, button(last?.one, what));
    expect((await press('grace', 'press.regenerate')).acknowledged).toBe(true);
    await harness.once(GRACE, /Only the person who asked/u);
    expect((await press('ada', 'press.good')).acknowledged).toBe(true);
    await harness.once(ADA, /Thank/u);
  });

  test('a user-installed app answers with its interaction token where the bot is absent, only to its person', async () => {
    await ask('ada', 'What is 20 + 3?', LOUNGE);
    const answer = (await harness.answers(ADA, 1, LOUNGE)).at(-1);
    expect(answer?.text).toContain('23');
    const countBefore = harness.visibleMessages(ADA, LOUNGE).length;
    await harness.discord().press('grace', answer?.id ?? '', button(answer?.one, 'press.regenerate'));
    await harness.once(GRACE, /Only the person who asked/u, LOUNGE);
    expect(harness.visibleMessages(ADA, LOUNGE)).toHaveLength(countBefore);
  });

  test('a button below a forgotten answer responds that it is forgotten', async () => {
    const answer = (await harness.answers(ADA, 1)).at(-1);
    await harness.discord().slash('ada', undefined, 'forget', { what: 'me' });
    const sure = await harness.once(ADA, /forget\.me/u);
    await harness.discord().press('ada', sure.id, button(sure.one, 'forget.me'));
    await harness.once(ADA, /forgotten everything about you/u);
    await harness.discord().press('ada', answer?.id ?? '', button(answer?.one, 'press.regenerate'));
    await harness.once(ADA, /no longer stored/u);
    expect((await harness.answers(ADA, 1)).at(-1)?.text).toBe(answer?.text);
  });

  test('the endpoint rejects invalid requests, as Discord verifies before it accepts an interactions URL', async () => {
    expect(await harness.discord().delivery.inspect()).toEqual([]);
  });
});
