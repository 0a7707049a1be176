import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GRACE, LOUNGE } from '../simulators/discord/index.ts';
import { button, type DiscordWorld, startDiscordWorld } from './discord-world.ts';

let world: DiscordWorld;
beforeAll(async () => {
  world = await startDiscordWorld();
}, 240_000);
afterAll(() => world.close());

const ask = (as: string, question: string, channel?: string, secret?: boolean) =>
  world.discord().slash(as, channel, 'ask', { question, ...(secret && { private: true }) });

describe('Discord answered end to end', () => {
  test('/ask is deferred, answered in its place with its question, and remembered by the next', async () => {
    expect((await ask('ada', 'My name is Ada. What is 6 * 7?')).acknowledged).toBe(true);
    expect((await world.answers(ADA, 1)).at(-1)?.text).toMatch(
      /^> My name is Ada\. What is 6 \\\* 7\?\n[^]*42/u,
    );
    await ask('ada', 'What is my name?');
    expect((await world.answers(ADA, 2)).at(-1)?.text).toContain('Your name is Ada');
  });

  test('a private question is seen by nobody else, and in nobody else’s prompt', async () => {
    await ask('grace', 'My name is Grace. What is 1 + 1?', undefined, true);
    const before = (await world.answers(ADA, 0)).length;
    const mine = await world.answers(GRACE, before + 1);
    expect(mine.at(-1)?.text).toMatch(/^1 \+ 1 = \*\*2\*\*/u);
    expect(await world.answers(ADA, 0)).toHaveLength(before);
    await ask('ada', 'What is my name?');
    expect((await world.answers(ADA, before + 1)).at(-1)?.text).not.toContain('Grace');
  });

  test('“Ask about this” in a message’s menu asks what one wants to know of it, and one alone reads the answer', async () => {
    const { core } = world.discord();
    const [seen, others] = [(await world.answers(GRACE, 0)).length, (await world.answers(ADA, 0)).length];
    const recipe = core.say('ada', 'Two eggs, 200 g of flour.');
    const menu = await world.discord().menu('grace', recipe, 'Ask about this');
    const question = 'What was I told of flour?';
    expect((await world.discord().submit('grace', menu.id, { question })).acknowledged).toBe(true);
    await world.answers(GRACE, seen + 1);
    const asked = JSON.stringify(world.journey().upstream.journal.at(-1)?.body);
    expect(asked).toContain(question);
    expect(asked).toContain('> Two eggs, 200 g of flour.');
    expect(await world.answers(ADA, 0)).toHaveLength(others);
  });

  test('Regenerate makes the answer anew in its place, for who asked; others are told in private', async () => {
    const last = (await world.answers(ADA, 1)).at(-1);
    const id = last?.id ?? '';
    const press = (as: string, what: string) => world.discord().press(as, id, button(last?.one, what));
    expect((await press('grace', 'press.regenerate')).acknowledged).toBe(true);
    await world.once(GRACE, /Only the person who asked/u);
    expect((await press('ada', 'press.good')).acknowledged).toBe(true);
    await world.once(ADA, /Thank/u);
  });

  test('where the bot is not, an app of one’s own answers by its ticket, for its person alone', async () => {
    await ask('ada', 'What is 20 + 3?', LOUNGE);
    const answer = (await world.answers(ADA, 1, LOUNGE)).at(-1);
    expect(answer?.text).toContain('23');
    const seen = world.seen(ADA, LOUNGE).length;
    await world.discord().press('grace', answer?.id ?? '', button(answer?.one, 'press.regenerate'));
    await world.once(GRACE, /Only the person who asked/u, LOUNGE);
    expect(world.seen(ADA, LOUNGE)).toHaveLength(seen);
  });

  test('whoever presses a button under what was forgotten is told so', async () => {
    const answer = (await world.answers(ADA, 1)).at(-1);
    await world.discord().slash('ada', undefined, 'forget', { what: 'me' });
    const sure = await world.once(ADA, /forget\.me/u);
    await world.discord().press('ada', sure.id, button(sure.one, 'forget.me'));
    await world.once(ADA, /forgotten all about you/u);
    await world.discord().press('ada', answer?.id ?? '', button(answer?.one, 'press.regenerate'));
    await world.once(ADA, /no longer kept/u);
    expect((await world.answers(ADA, 1)).at(-1)?.text).toBe(answer?.text);
  });

  test('what the endpoint has to refuse it refuses, as Discord tries before it takes an address', async () => {
    expect(await world.discord().delivery.inspect()).toEqual([]);
  });
});
