import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startLocal } from '../../infra/local/system.ts';
import { type Browser, startBrowser } from '../../test/browser/chromium.ts';
import type { Tab } from '../../test/browser/tab.ts';
import { openPage } from '../../test/pages/open-page.ts';

// Makes the pictures in the README and in docs/dashboard.md: starts the system, lets two people ask, photographs the pages with
// Chromium. Run it with `npx node docs/images/make.ts` after a page has changed.

const SIZE = { width: 1_280, height: 760 };
const ANSWER_MS = 30_000;
/** The charts are drawn in the next frames. */
const SETTLE_MS = 500;

const data = await mkdtemp(join(tmpdir(), 'parley-picture-'));
const system = await startLocal({ data, port: 0, say: console.log });
try {
  const slack = system.slack.simulator;
  if (!slack) throw new Error('the picture is of the simulated Slack');
  const thread = await slack.say('ada', '@parley Our launch is on Tuesday at ten. What can you do?');
  const answered = (count: number) =>
    slack.core.until(() => {
      const all = [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])];
      const answers = all.filter((one) => one.thread === thread && one.user === slack.botUserId);
      const done = answers.length === count && answers.every((one) => one.stream?.open !== true);
      return done ? true : undefined;
    }, AbortSignal.timeout(ANSWER_MS));
  await answered(1);
  await slack.say('grace', 'When is our launch?', { thread });
  await answered(2);
  await photograph(
    (browser) => openPage(browser, `${slack.url}/#ada/${slack.channel}/${thread}`, SIZE),
    'first-light.png',
  );
  for (let count = 3; count < 9; count += 1) {
    await slack.say(
      'grace',
      `[[sim:tokens=${50 * count}]]${count === 5 ? ' [[sim:error=503 times=1]]' : ''}`,
      { thread },
    );
    await answered(count);
  }
  await photograph(openDashboard, 'dashboard.png');
} finally {
  await system.close();
  await rm(data, { recursive: true, force: true });
}

async function openDashboard(browser: Browser): Promise<Tab> {
  const tab = await browser.open(`${system.local.api}/dashboard`, { width: SIZE.width, height: 1_180 });
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

async function photograph(open: (browser: Browser) => Promise<Tab>, file: string): Promise<void> {
  const browser = await startBrowser();
  try {
    const tab = await open(browser);
    await writeFile(join(import.meta.dirname, file), await tab.screenshot());
  } finally {
    await browser.close();
  }
}
