import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { start, stopAll } from '../simulators/discord/app-harness.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import { openPage } from './open-page.ts';

let browser: Browser;
let discord: DiscordSimulator;
let tab: Tab;

const FORUM = '301000000000000003';
const titled = (words: string) =>
  tab.until(`document.querySelector('#channel-title').textContent.includes('${words}')`);

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    browser = await startBrowser();
    const up = await start(() => ({
      type: 4,
      data: { content: 'Ask with </ask:157>, or see </settings model:158>. ||The butler did it.||' },
    }));
    discord = up.simulator;
  });
  afterEach(() => tab.close());
  afterAll(async () => {
    await browser.close();
    await stopAll();
  });

  test('a forum shows its posts, and a form creates a new one', async () => {
    const first = discord.core.thread('grace', FORUM, 'How do I cite a talk?', 'I heard one in Oslo, @ada.');
    discord.say('ada', first, 'By its title.');
    tab = await openPage(browser, `${discord.url}/#ada/${FORUM}`);
    await titled('questions');
    expect(await tab.evaluate(`document.querySelector('.post').innerText`)).toMatch(
      /How do I cite a talk\?\s+Grace Hopper: I heard one in Oslo, @ada\.\s+1 reply/u,
    );
    expect(await tab.evaluate(`document.querySelector('#composer').checkVisibility()`)).toBe(false);
    await tab.click('.forum .send');
    await tab.type('Where is the library?');
    await tab.press('Tab');
    await tab.type('I have looked everywhere.');
    await tab.click('#form [type=submit]');
    await titled('Where is the library?');
    expect(await tab.evaluate(`document.querySelector('#log').textContent`)).toContain('looked everywhere');
    await tab.evaluate('history.back()');
    await tab.until(`document.querySelectorAll('.post').length === 2`);
    // The one with the newest message comes first.
    expect(await tab.evaluate(`document.querySelector('.post b').textContent`)).toBe('Where is the library?');
  });

  test('a command in a message can be clicked, and opens with its options', async () => {
    await discord.slash('ada', undefined, 'ask', { question: 'help' });
    tab = await openPage(browser, discord.url);
    await tab.until(`document.querySelectorAll('#log .command').length === 2`);
    expect(
      await tab.evaluate(`[...document.querySelectorAll('#log .command')].map((one) => one.textContent)`),
    ).toEqual(['/ask', '/settings model']);
    expect(await tab.evaluate(`document.querySelector('#log').textContent`)).not.toContain('157');
    await tab.click('#log .command');
    await tab.until(`document.activeElement.dataset.option === 'question'`);
    await tab.press('Escape');
    await tab.until(`document.activeElement.id === 'composer-text'`);
    await tab.click('#log .command:nth-of-type(2)');
    await tab.until(`document.querySelector('#slash b')?.textContent === '/settings model'`);
  });

  test('a spoiler is shown after a click, and stays visible', async () => {
    await discord.slash('ada', undefined, 'ask', { question: 'who?' });
    tab = await openPage(browser, discord.url);
    const colour = `getComputedStyle([...document.querySelectorAll('.spoiler')].at(-1)).color`;
    await tab.until(`document.querySelector('.spoiler')`);
    expect(await tab.evaluate(colour)).toBe('rgba(0, 0, 0, 0)');
    await tab.click('#log article:last-child .spoiler');
    const last = [...(discord.core.state.messages.get(discord.core.channel)?.keys() ?? [])].at(-1) ?? '';
    discord.core.react('grace', last, '🎉');
    await tab.until(`document.querySelector('.chips')`);
    expect(await tab.evaluate(colour)).not.toBe('rgba(0, 0, 0, 0)');
    expect(tab.errors).toEqual([]);
  });

  test('the arrow keys move through the list of commands', async () => {
    tab = await openPage(browser, discord.url);
    await tab.click('[data-slash]');
    await tab.press('ArrowDown');
    await tab.press('ArrowDown');
    await tab.until(`document.activeElement.textContent.startsWith('/settings model')`);
    await tab.press('ArrowUp');
    await tab.press('Enter');
    await tab.until(`document.activeElement.dataset.option === 'question'`);
    expect(tab.errors).toEqual([]);
  });
});
