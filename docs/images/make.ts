import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocal } from '../../infra/local/system.ts';

// Makes the picture in the README: starts the system, lets two people ask, photographs the page with Chromium.
// Run it with `npx node docs/images/make.ts` after the page has changed.

const SIZE = '1280,760';
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
  const options = [
    '--headless',
    '--no-sandbox',
    '--hide-scrollbars',
    '--timeout=2000',
    `--window-size=${SIZE}`,
  ];
  const child = spawn(
    'chromium',
    [...options, `--user-data-dir=${data}/browser`, `--screenshot=${file}`, url],
    {
      stdio: 'ignore',
      timeout: 60_000,
    },
  );
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`chromium ended with ${code}`);
}
