import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { type DiscordSimulator, startDiscordSimulator } from '../simulators/discord/index.ts';
import { type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { openPage } from './open-page.ts';

let browser: Browser;
let slack: SlackSimulator;
let discord: DiscordSimulator;
let tab: Tab;

const PHONE = { width: 390, height: 844 };

const title = () => tab.evaluate(`document.querySelector('#channel-title').textContent`);
const focused = (selector: string) => tab.until(`document.activeElement.matches('${selector}')`);
const sideShows = () =>
  tab.evaluate(`getComputedStyle(document.querySelector('#side')).visibility === 'visible'`);

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

  describe.each([
    ['Slack', () => slack.url, '#channel-log', '#directs', 'parley'],
    ['Discord', () => discord.url, '#log', '#places li:nth-child(2)', '#voices'],
  ])('%s in a narrow window', (_name, url, log, other, otherTitle) => {
    test('the messages fill most of the window, and nothing is wider than it', async () => {
      tab = await openPage(browser, url(), PHONE);
      expect(await sideShows()).toBe(false);
      const share = await tab.evaluate(`document.querySelector('${log}').clientHeight / innerHeight`);
      expect(Number(share)).toBeGreaterThan(0.7);
      expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    });

    test('with 400 % zoom, each button under the text is inside of its frame', async () => {
      tab = await openPage(browser, url(), { width: 320, height: 600 });
      const outside = await tab.evaluate(`[...document.querySelectorAll('.composer')].flatMap((frame) => {
        const { left, right } = frame.getBoundingClientRect();
        return [...frame.querySelectorAll('.tools > *')].filter((tool) => {
          const place = tool.getBoundingClientRect();
          return place.width > 0 && (place.left < left || place.right > right);
        }).map((tool) => tool.textContent.trim());
      })`);
      expect(outside).toEqual([]);
    });

    test('channels and people are in a drawer, which a button opens and a selection closes', async () => {
      tab = await openPage(browser, url(), PHONE);
      await tab.click('#side-open');
      await focused('#side [aria-current]');
      expect(await sideShows()).toBe(true);
      await tab.click(`${other} button`);
      await tab.until(`document.querySelector('#channel-title').textContent === '${otherTitle}'`);
      await tab.until(`getComputedStyle(document.querySelector('#side')).visibility === 'hidden'`);
    });

    test('Escape closes the drawer, and the focus returns to its button', async () => {
      tab = await openPage(browser, url(), PHONE);
      const before = await title();
      await tab.click('#side-open');
      await focused('#side [aria-current]');
      await tab.press('Escape');
      await focused('#side-open');
      await tab.until(`getComputedStyle(document.querySelector('#side')).visibility === 'hidden'`);
      expect(await title()).toBe(before);
    });
  });
});
