import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocal } from '../../infra/local/system.ts';
import { startBrowser } from '../../test/browser/chromium.ts';
import { openPage } from '../../test/pages/open-page.ts';

// Makes the picture in the README: starts the system, lets two people ask, photographs the page with Chromium.
// Run it with `npx node docs/images/make.ts` after the page has changed.

const SIZE = { width: 1_280, height: 760 };
const ANSWER_MS = 30_000;

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
    `${slack.url}/#ada/${slack.channel}/${thread}`,
    join(import.meta.dirname, 'first-light.png'),
  );
} finally {
  await system.close();
  await rm(data, { recursive: true, force: true });
}

async function photograph(url: string, file: string): Promise<void> {
  const browser = await startBrowser();
  try {
    const tab = await openPage(browser, url, SIZE);
    await writeFile(file, await tab.screenshot());
  } finally {
    await browser.close();
  }
}
