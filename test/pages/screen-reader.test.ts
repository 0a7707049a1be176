import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { dataFolder, waitUntil, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import { openPage } from './open-page.ts';

const folder = dataFolder();
let browser: Browser;
let journey: JourneyHarness;
let discord: DiscordSimulator;

const WORDS = 'What is six times seven, and who meets whom in Oslo?';

/** A person clicks Voice and types what they say. */
async function speak(tab: Tab, composer: string): Promise<void> {
  await tab.click(`${composer} [data-voice]`);
  await tab.until(`document.activeElement.name === 'spoken'`);
  await tab.type(WORDS);
  await tab.click('#voice [type=submit]');
  await tab.until(`document.querySelector('${composer} .attached').textContent.includes('Voice message')`);
}

const shows = (tab: Tab, words: string) =>
  tab.until(`document.querySelector('main').innerText.includes('${words}')`);

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, journey] = await Promise.all([
      startBrowser(),
      startJourneyHarness(folder.path, { relay: true }),
    ]);
    const { simulator } = journey.system.discord;
    if (!simulator) throw new Error('Discord is real');
    discord = simulator;
    await waitUntil(() => journey.system.discord.gateway?.connected === 1);
  });
  afterAll(async () => {
    await browser.close();
    await journey.system.close();
    folder.remove();
  });

  test('Slack: spoken text is a clip that can be played, and the bot transcribes its exact words', async () => {
    const tab = await openPage(browser, `${journey.slack.url}/#ada`);
    await speak(tab, '#composer');
    await tab.click('#composer-text');
    await tab.type('@parley');
    await tab.press('Enter');
    await tab.until(`!document.querySelector('#thread').hidden`);
    await shows(tab, WORDS);
    const played = await tab.evaluate(`(async () => {
      const audio = document.querySelector('#thread-log audio');
      const playing = new Promise((resolve) => audio.addEventListener('timeupdate', resolve, { once: true }));
      await audio.play();
      await playing;
      return audio.duration > 5;
    })()`);
    expect(played).toBe(true);
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  test('Discord: spoken text is a voice message to the bot, and the bot transcribes its exact words', async () => {
    const dm = discord.core.dm('ada');
    const tab = await openPage(browser, `${discord.url}/#ada/${dm}`);
    await speak(tab, '#composer');
    await tab.press('Enter');
    await shows(tab, WORDS);
    expect(tab.errors).toEqual([]);
    await tab.close();
  });
});
