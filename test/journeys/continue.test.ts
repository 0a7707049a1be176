import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADA, GENERAL } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { button, type DiscordWorld, startDiscordWorld } from './discord-world.ts';
import { botMessages } from './system.ts';

let world: DiscordWorld;

beforeAll(async () => {
  world = await startDiscordWorld();
}, 240_000);
afterAll(() => world.close());

/** Some seconds of words, of which the first come at once. */
const LONG = 'Tell me everything. [[sim:tokens=2000]] [[sim:slow=20]]';
const BROKEN = '[[sim:say=one two three four five six]] [[sim:cut=4]]';

/** The last request for an answer: its messages, as JSON. */
const lastAsked = (): string =>
  JSON.stringify(
    world.journey().upstream.journal.findLast(({ path }) => path.endsWith('/chat/completions'))?.body ?? '',
  );

/** Fails unless the model was asked to go on from its own words alone, without what the bot said below them. */
function expectContinuation(notice: RegExp): void {
  expect(lastAsked()).toContain('Go on exactly where you stopped');
  expect(lastAsked()).not.toMatch(notice);
}

describe('in Slack', () => {
  const shown = (message: Message | undefined): string =>
    JSON.stringify([message?.text, message?.steps, message?.blocks]);
  /** The only message of the answer once it is finished and reads so. */
  const finished = (thread: string, words: RegExp): Promise<Message> =>
    world.journey().slack.core.until(() => {
      const [first, ...more] = botMessages(world.journey().slack, thread);
      const done =
        more.length === 0 && shown(first).includes('parley:regenerate') && words.test(shown(first));
      return done ? first : undefined;
    });

  test('Continue is offered after Stop, and goes on in place', async () => {
    const { slack } = world.journey();
    const thread = await slack.say('ada', `@parley ${LONG}`);
    await slack.core.until(() => (botMessages(slack, thread)[0]?.text ? true : undefined));
    await slack.stop('ada', thread);
    const stopped = await finished(thread, /Stopped after/u);
    await slack.press('ada', stopped.ts, 'Continue');
    const whole = await slack.core.until(() => {
      const [first] = botMessages(slack, thread);
      return shown(first).includes('parley:regenerate') && !shown(first).includes('Stopped')
        ? first
        : undefined;
    });
    expect(whole.ts).toBe(stopped.ts);
    expectContinuation(/Stopped after/u);
  }, 40_000);

  test('Continue is offered after a stream that broke off, and takes what was said of that away', async () => {
    const { slack } = world.journey();
    const thread = await slack.say('ada', `@parley ${BROKEN}`);
    const broken = await finished(thread, /one two.*broke off before its end.*Continue/su);
    await slack.press('ada', broken.ts, 'Continue');
    await slack.core.until(() => {
      const [first] = botMessages(slack, thread);
      const whole = /^one two/u.test(first?.text ?? '') && !shown(first).includes('broke off');
      return whole && shown(first).includes('parley:regenerate') ? true : undefined;
    });
    expectContinuation(/broke off/u);
  }, 40_000);
});

describe('in Discord', () => {
  const answer = (words: RegExp) =>
    world
      .discord()
      .core.until(() =>
        world
          .seen(ADA)
          .findLast(({ one, text }) => button(one, 'press.regenerate') !== '' && words.test(text)),
      );
  const goOn = async (of: { readonly id: string; readonly one: unknown }, notice: RegExp) => {
    await world.discord().press('ada', of.id, button(of.one, 'press.continue'));
    await world.discord().core.until(() => {
      const now = world.seen(ADA).find(({ id }) => id === of.id);
      const done = now && button(now.one, 'press.regenerate') !== '' && !notice.test(now.text);
      return done ? true : undefined;
    });
    expectContinuation(notice);
  };

  test('Continue is offered after Stop, and goes on in place', async () => {
    await world.discord().slash('ada', GENERAL, 'ask', { question: LONG });
    const writing = await world
      .discord()
      .core.until(() => world.seen(ADA).findLast(({ one }) => button(one, 'press.stop') !== ''));
    await world.discord().press('ada', writing.id, button(writing.one, 'press.stop'));
    await goOn(await answer(/Stopped after/u), /Stopped after/u);
  }, 40_000);

  test('Continue is offered after a stream that broke off, and takes what was said of that away', async () => {
    await world.discord().slash('ada', GENERAL, 'ask', { question: BROKEN });
    await goOn(await answer(/one two[^]*broke off before its end/u), /broke off/u);
  }, 40_000);
});
