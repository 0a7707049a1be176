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

const MANY = Array.from({ length: 40 }, (_, n) => `line ${n}`);

const call = (method: string, args: object) =>
  String(slack.core.call(method, { channel: slack.channel, ...args }, slack.botToken)['ts']);
const pill = (side: string, words: string) =>
  tab.until(`document.querySelector('.pill.${side}:not([hidden])')?.textContent.includes('${words}')`);
const noPill = () => tab.until(`!document.querySelector('.pill:not([hidden])')`);
const scrollTo = (log: string, top: number) =>
  tab.evaluate(`new Promise((resolve) => {
    const log = document.querySelector('${log}');
    log.addEventListener('scroll', () => requestAnimationFrame(resolve), { once: true });
    log.scrollTop = ${top};
  })`);
const isInView = (log: string, words: string) => `(() => {
  const log = document.querySelector('${log}').getBoundingClientRect();
  const article = [...document.querySelectorAll('${log} article')].find((one) => one.textContent.includes('${words}'));
  const { top, bottom } = article.getBoundingClientRect();
  return bottom > log.top && top < log.bottom;
})()`;

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, slack, discord] = await Promise.all([
      startBrowser(),
      startSlackSimulator(),
      startDiscordSimulator(),
    ]);
    for (const words of MANY) {
      await slack.say('ada', words);
      discord.say('ada', undefined, words);
    }
  });
  afterEach(() => tab.close());
  afterAll(async () => {
    await browser.close();
    await slack.close();
    await discord.close();
  });

  const places = [
    ['Slack', () => slack.url, '#channel-log', (words: string) => slack.say('grace', words)],
    ['Discord', () => discord.url, '#log', async (words: string) => discord.say('grace', undefined, words)],
  ] as const;

  describe.each(places)('%s', (name, url, log, say) => {
    test('a new message below the visible part has a marker, which leads to it', async () => {
      tab = await openPage(browser, url());
      await noPill();
      await scrollTo(log, 0);
      await say(`far below in ${name}`);
      await pill('below', '1 new message');
      await say('and one more');
      await pill('below', '2 new messages');
      await tab.click('.pill.below');
      await tab.until(isInView(log, `far below in ${name}`));
      await noPill();
      expect(await tab.evaluate(`document.activeElement === document.querySelector('${log}')`)).toBe(true);
    });

    test('a reader at the end sees new messages, without a marker', async () => {
      tab = await openPage(browser, url());
      await say(`at the end of ${name}`);
      await tab.until(`document.querySelector('${log}').textContent.includes('at the end of ${name}')`);
      await tab.until(isInView(log, `at the end of ${name}`));
      expect(await noPill()).toBe(true);
    });
  });

  test('a reader at the end stays there when the text box grows over the messages', async () => {
    discord.say('ada', undefined, 'the very last');
    tab = await openPage(browser, discord.url);
    await tab.until(isInView('#log', 'the very last'));
    await tab.click('#composer-text');
    for (let line = 0; line < 10; line += 1) await tab.press('Enter', true);
    await tab.until(`(() => {
      const { scrollTop, clientHeight, scrollHeight } = document.querySelector('#log');
      return scrollTop + clientHeight >= scrollHeight - 1;
    })()`);
    expect(tab.errors).toEqual([]);
  });

  test('Slack: a card that changes above the visible part has a marker', async () => {
    const ts = call('chat.postMessage', { text: 'Working on it' });
    for (const words of MANY) await slack.say('ada', words);
    tab = await openPage(browser, slack.url);
    await noPill();
    call('chat.update', { ts, text: 'It is done' });
    await pill('above', '1 change');
    await tab.click('.pill.above');
    await tab.until(isInView('#channel-log', 'It is done'));
    expect(await noPill()).toBe(true);
  });

  test('Slack: an answer in a closed thread has a marker until it is read', async () => {
    const root = await slack.say('ada', '@parley what is new?');
    tab = await openPage(browser, slack.url);
    call('chat.postMessage', { thread_ts: root, text: 'This is.' });
    await tab.until(`document.querySelector('.replies.fresh')?.textContent.includes('1 reply')`);
    await tab.click('.replies.fresh');
    await tab.until(`!document.querySelector('#thread').hidden && !document.querySelector('.replies.fresh')`);
    // An ephemeral message for Grace is not unread for Ada.
    const grace = slack.users.find((user) => user.name === 'grace')?.id;
    await tab.click('#directs button');
    call('chat.postEphemeral', { text: 'psst', user: grace });
    await slack.say('ada', 'drawn');
    await tab.until(`document.querySelector('#persons .fresh')?.textContent.includes('Grace')`);
    expect(await tab.evaluate(`document.querySelector('#channels .fresh') === null`)).toBe(true);
  });

  test('Discord: channels and threads with new messages have a marker until they are read', async () => {
    const message = discord.say('ada', undefined, 'Let us talk.');
    discord.core.thread('grace', message, 'The talk', 'Gladly.');
    tab = await openPage(browser, discord.url);
    discord.say('grace', message, 'Here I am.');
    await tab.until(`document.querySelector('#places .fresh')?.textContent.includes('The talk')`);
    await tab.click('.replies.fresh');
    await tab.until(`document.querySelector('#channel-title').textContent.includes('The talk')`);
    await tab.until(`!document.querySelector('#places .fresh')`);
    expect(tab.errors).toEqual([]);
  });
});
