import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { type Browser, startBrowser } from '../../test/browser/chromium.ts';
import type { Tab } from '../../test/browser/tab.ts';
import { openPage } from '../../test/pages/open-page.ts';
import { discordPictures, slackPictures } from './scenes.ts';

// Makes the pictures of the documents: starts the system, lets people ask, and photographs the pages with Chromium.
// Run it with `npx node docs/images/make.ts` after a page has changed.

const SIZE = { width: 1_280, height: 800 };
/** The charts are drawn in the next frames. */
const SETTLE_MS = 500;
const QUESTIONS_OF_DASHBOARD = 6;

const data = await mkdtemp(join(tmpdir(), 'parley-picture-'));
const system = await startLocal({ data, port: 0, say: console.log });
const browser = await startBrowser();
try {
  for (const take of [slackPictures, discordPictures])
    await take(system, async (url, file, prepare) => {
      const tab = await openPage(browser, url, SIZE);
      await prepare?.(tab);
      await setTimeout(SETTLE_MS);
      await save(tab, file);
    });
  await askForDashboard(system);
  await save(await openDashboard(browser), 'dashboard.png');
} finally {
  await browser.close();
  await system.close();
  await rm(data, { recursive: true, force: true });
}

/** Questions of several lengths, one of which the models refuse at first. */
async function askForDashboard({ slack: { simulator: slack } }: LocalSystem): Promise<void> {
  if (!slack) throw new Error('the questions are asked in the simulated Slack');
  for (let count = 1; count <= QUESTIONS_OF_DASHBOARD; count += 1) {
    const fault = count === 3 ? ' [[sim:error=503 times=1]]' : '';
    const thread = await slack.say('grace', `@parley [[sim:tokens=${100 * count}]]${fault}`);
    await slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
        (one) => one.thread === thread && one.user === slack.botUserId && one.stream?.open !== true,
      ),
    );
  }
}

async function openDashboard(on: Browser): Promise<Tab> {
  const tab = await on.open(`${system.local.api}/dashboard`, SIZE);
  await tab.evaluate(`{
    const range = document.querySelector('#range');
    range.value = '15';
    range.dispatchEvent(new Event('change'));
  }`);
  const isLoaded = `performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('minutes=15') && responseEnd > 0)`;
  await tab.until(`${isLoaded} && document.querySelector('#main:not([aria-busy])')`);
  await setTimeout(SETTLE_MS);
  return tab;
}

async function save(tab: Tab, file: string): Promise<void> {
  await writeFile(join(import.meta.dirname, file), await tab.screenshot());
  await tab.close();
}
