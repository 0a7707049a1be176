import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from 'playwright-core';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { type DiscordSimulator, startDiscordSimulator } from '../simulators/discord/index.ts';
import { type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { openPage } from './open-page.ts';

let browser: Browser;
let slack: SlackSimulator;
let discord: DiscordSimulator;
let tab: Tab;

const MESSAGES = '**/page/say';

/** Holds every message that the page sends, or the response to it, until the test decides its fate. */
async function holdMessages(stage: 'Request' | 'Response') {
  const waitingRoutes: Route[] = [];
  let next = Promise.withResolvers<void>();
  await tab.page.route(MESSAGES, async (route) => {
    if (stage === 'Response') await route.fetch();
    waitingRoutes.push(route);
    next.resolve();
  });
  return {
    /** Resolves once there is one. */
    waitForNext: () => next.promise,
    lose: async (): Promise<void> => {
      await next.promise;
      next = Promise.withResolvers<void>();
      for (const route of waitingRoutes.splice(0)) await route.abort('connectionreset');
    },
    release: () => tab.page.unroute(MESSAGES),
  };
}

async function say(words: string): Promise<void> {
  await tab.click('#composer-text');
  await tab.type(words);
  await tab.press('Enter');
}

const logSays = (words: string) =>
  tab.until(`document.querySelector('.channel .log:not([hidden])').textContent.includes('${words}')`);
const untilGone = (selector: string) => tab.until(`!document.querySelector('${selector}')`);
const inSlack = (): string[] =>
  [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].map(({ text }) => text);
const inDiscord = (): string[] =>
  [...(discord.core.state.messages.get(discord.core.channel)?.values() ?? [])].map(({ content }) => content);

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, slack, discord] = await Promise.all([
      startBrowser(),
      startSlackSimulator(),
      startDiscordSimulator(),
    ]);
  });
  afterEach(() => tab.close());
  afterAll(async () => {
    await browser.close();
    await slack.close();
    await discord.close();
  });

  const places = [
    ['Slack', () => slack.url, inSlack],
    ['Discord', () => discord.url, inDiscord],
  ] as const;

  describe.each(places)('%s', (name, url, messages) => {
    test('a message is shown as pending until it has arrived', async () => {
      tab = await openPage(browser, url());
      const { waitForNext, release } = await holdMessages('Request');
      await say(`slow in ${name}`);
      await waitForNext();
      await tab.until(`document.querySelector('.pending')?.textContent.includes('Sending…')`);
      expect(await tab.evaluate(`document.querySelector('#composer-text').value`)).toBe('');
      expect(messages()).not.toContain(`slow in ${name}`);
      await release();
      await tab.until(`!document.querySelector('.pending')`);
      await logSays(`slow in ${name}`);
      expect(messages().filter((one) => one === `slow in ${name}`)).toHaveLength(1);
    });

    test('a failed message says so, and is sent again after a click', async () => {
      tab = await openPage(browser, url());
      const { waitForNext, lose, release } = await holdMessages('Request');
      await say(`lost in ${name}`);
      await waitForNext();
      await lose();
      await tab.until(
        `document.querySelector('.failed [role=alert]')?.textContent.includes('Not sent: the connection')`,
      );
      expect(messages()).not.toContain(`lost in ${name}`);
      await release();
      await tab.click('.failed button');
      await tab.until(`!document.querySelector('.failed, .pending')`);
      await logSays(`lost in ${name}`);
      expect(messages().filter((one) => one === `lost in ${name}`)).toHaveLength(1);
    });

    test('a message whose response was lost has arrived once', async () => {
      tab = await openPage(browser, url());
      const { waitForNext, lose, release } = await holdMessages('Response');
      await say(`once in ${name}`);
      await waitForNext();
      await untilGone('.pending');
      await logSays(`once in ${name}`);
      await lose();
      await release();
      await say(`after it in ${name}`);
      await logSays(`after it in ${name}`);
      await untilGone('.failed, .pending');
      expect(messages().filter((one) => one === `once in ${name}`)).toHaveLength(1);
    });

    test('a failed message can be edited or deleted', async () => {
      tab = await openPage(browser, url());
      const { waitForNext, lose } = await holdMessages('Request');
      await say(`anew in ${name}`);
      await waitForNext();
      await lose();
      await tab.click('.failed button:nth-of-type(2)');
      await untilGone('.failed');
      expect(await tab.evaluate(`document.querySelector('#composer-text').value`)).toBe(`anew in ${name}`);
      await tab.press('Enter');
      await lose();
      await tab.click('.failed button:nth-of-type(3)');
      await untilGone('.failed');
      expect(messages()).not.toContain(`anew in ${name}`);
    });
  });

  test.each(places)('%s: indented text without code markup stays indented', async (_name, url, _messages) => {
    tab = await openPage(browser, url());
    await tab.click('#composer-text');
    await tab.type('if a:');
    await tab.press('Enter', true);
    await tab.type('    return   b');
    await tab.press('Enter');
    await tab.until(
      `document.querySelector('.channel article:last-child:not(.pending) .body')?.innerText === 'if a:\\n    return   b'`,
    );
    expect(tab.errors).toEqual([]);
  });

  test('Slack: a refusal is explained, and the draft stays in its channel', async () => {
    const thread = await slack.say('ada', 'a thread');
    tab = await openPage(browser, `${slack.url}/#ada/${slack.channel}/${thread}`);
    await tab.click('#thread-text');
    await tab.type('/parley help');
    await tab.press('Enter');
    await tab.until(`document.querySelector('.failed')?.textContent.includes('not supported in threads')`);
    await tab.click('#composer-text');
    await tab.type('half a thought');
    await tab.click('#directs button');
    await tab.until(`document.querySelector('#channel-title').textContent === 'parley'`);
    expect(await tab.evaluate(`document.querySelector('#composer-text').value`)).toBe('');
    await tab.click('#channels button');
    await tab.until(`document.querySelector('#composer-text').value === 'half a thought'`);
  });
});
