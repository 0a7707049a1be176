import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab, TabOptions } from '../browser/tab.ts';
import { answersIn, dataFolder, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import { violations } from './axe.ts';

const folder = dataFolder();
const PHONE = { width: 390, height: 844 };
const SIZES = [{ width: 1_280, height: 800 }, PHONE];

let browser: Browser;
let journey: JourneyHarness;
let tab: Tab;

/** Opens the dashboard by the address that `npm start` prints. Resolves once it shows data. */
async function openDashboard(options?: TabOptions, hash = ''): Promise<void> {
  tab = await browser.open(`${journey.system.local.api}/dashboard${hash}`, options);
  await tab.until(`document.querySelector('#main:not([aria-busy])')`);
}

const textOf = (selector: string) => tab.evaluate(`document.querySelector('${selector}').innerText`);
const shows = (selector: string, words: string) =>
  tab.until(`document.querySelector('${selector}')?.innerText.includes('${words}')`);

/** Checks the page in light and dark colors, wide and narrow. */
async function findViolations(state: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { width, height } of SIZES) {
    await tab.resize(width, height);
    for (const theme of ['light', 'dark']) {
      await tab.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      const wrong = await violations(tab);
      problems.push(...wrong.map((one) => `${state}, ${theme}, ${width} px: ${one}`));
    }
  }
  return problems;
}

async function ask(question: string): Promise<void> {
  await answersIn(journey.slack, await journey.slack.say('ada', `@parley ${question}`));
}

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, journey] = await Promise.all([startBrowser(), startJourneyHarness(folder.path)]);
    await ask('hello');
    await ask('[[sim:quota]] hello');
  });
  afterEach(() => tab.close());
  afterAll(async () => {
    await browser.close();
    await journey.system.close();
    folder.remove();
  });

  test('the dashboard shows answers, times, usage by name, limits and errors', async () => {
    await openDashboard();
    await shows('#message-table', 'failed: quota');
    await shows('#totals', 'Answers');
    const totals = String(await textOf('#totals')).replaceAll(/\s+/gu, ' ');
    expect(totals).toMatch(/Answers 2 Failed 1 Waiting now 0 First word, p50 \/ p95 [\d.]+ m?s/u);
    await shows('[data-table="person"]', 'Ada Lovelace');
    await shows('[data-table="channel"]', '#general');
    await shows('[data-table="model"]', 'vendor-edge-2603');
    await shows('[data-table="limits"]', 'of 30');
    await shows('[data-table="queues"]', 'Tasks');
    await shows('#error-table', 'reason quota, status 429, code insufficient_quota');
    expect(await tab.evaluate(`document.body.innerText.includes('hello')`)).toBe(false);
    expect(tab.errors).toEqual([]);
  });

  test('each chart is drawn, and has a table with its numbers', async () => {
    await openDashboard();
    const drawn = `[...document.querySelectorAll('figure')].map((one) => [one.querySelector('canvas') !== null, one.querySelector('[role=img]').ariaLabel])`;
    const charts = await tab.evaluate(drawn);
    expect(charts).toHaveLength(9);
    expect(charts).toContainEqual([true, expect.stringMatching(/^Chart: Answers. All latest \d+, Failed/u)]);
    await tab.click('figure[data-chart="answers"] summary');
    await shows('figure[data-chart="answers"] .numbers', 'Failed');
    expect(await textOf('figure[data-chart="answers"] .numbers tbody')).toMatch(/\d\d:\d\d:\d\d\s+\d/u);
  });

  test('no row of charts has a hole', async () => {
    await openDashboard();
    const perRow = `(() => { const tops = [...document.querySelectorAll('#speed-charts figure')].map((one) => Math.round(one.getBoundingClientRect().top)); return tops.filter((top) => top === tops[0]).length; })()`;
    const counts: unknown[] = [];
    for (const width of [375, 1_120, 1_280, 1_600]) {
      await tab.resize(width, 800);
      counts.push(await tab.evaluate(perRow));
    }
    expect(counts).toEqual([1, 2, 2, 4]);
  });

  test('the ledger of a message opens by keyboard, goes from its event to the final update, and returns the focus', async () => {
    await openDashboard();
    await tab.until(`document.querySelector('#message-table a')`);
    await tab.evaluate(`[...document.querySelectorAll('#message-table a')].at(-1).focus()`);
    await tab.press('Enter');
    await tab.until(`document.querySelector('#ledger[open] ol')`);
    const steps = String(await textOf('#ledger ol'));
    const order = [
      'The front accepted an event of Slack',
      'The worker began',
      'The answer was complete',
      'The final update was shown',
      'The task left the queue',
    ].map((step) => steps.indexOf(step));
    expect(steps).toContain('Request: chat.');
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(await findViolations('ledger')).toEqual([]);
    await tab.press('Escape');
    await tab.until(
      `!document.querySelector('#ledger').open && document.activeElement.matches('#message-table a')`,
    );
    expect(await tab.evaluate('location.hash')).toBe('#messages');
  });

  test('the focus and open tables stay when new data arrive, and Pause stops them', async () => {
    await openDashboard();
    await tab.until(`document.querySelector('#message-table a')`);
    await tab.evaluate(`document.querySelector('#message-table a').focus()`);
    const focused = await tab.evaluate(`document.activeElement.dataset.key`);
    const rows = `document.querySelectorAll('#message-table tbody tr').length`;
    const before = Number(await tab.evaluate(rows));
    await ask('once more');
    await tab.until(`${rows} === ${before + 1}`);
    expect(await tab.evaluate(`document.activeElement.dataset.key`)).toBe(focused);
    await tab.click('#pause');
    const requests = () => tab.requests.filter((url) => url.includes('/data')).length;
    const sent = requests();
    await tab.evaluate(`new Promise((resolve) => setTimeout(resolve, 3_500))`);
    expect(requests()).toBe(sent);
  });

  test('the page passes axe in both themes and at 390 px, where nothing is wider than the window', async () => {
    await openDashboard();
    await shows('#message-table', 'answered');
    await tab.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    expect(await findViolations('page')).toEqual([]);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(tab.errors).toEqual([]);
  });

  test('the page uses its own server only, and the theme of the system', async () => {
    await openDashboard({ scheme: 'dark' });
    const origin = String(await tab.evaluate('location.origin'));
    const elsewhere = tab.requests.filter(
      (url) => !url.startsWith(`${origin}/`) && !url.endsWith('/dashboard'),
    );
    expect(elsewhere).toEqual([]);
    expect(await tab.evaluate(`document.documentElement.dataset.theme`)).toBe('dark');
    await tab.click('#theme');
    expect(await tab.evaluate(`document.documentElement.dataset.theme`)).toBe('light');
  });

  test('a fault is switched on, is visible everywhere, has its effect, and is switched off', async () => {
    await openDashboard();
    await tab.click('[data-fault="models-full"] button');
    await shows('#active-faults', 'Faults are on: Models full (503).');
    await shows('[data-fault="models-full"]', 'left');
    expect(await tab.evaluate('document.title')).toBe('Faults on (1): Parley');
    expect(await tab.evaluate(`document.activeElement.dataset.key`)).toBe('switch-models-full');
    expect(await findViolations('a fault is on')).toEqual([]);
    const slackPage = await browser.open(journey.slack.url);
    await slackPage.until(
      `document.querySelector('#dashboard').textContent === 'Faults are on: Models full (503)'`,
    );
    expect(await violations(slackPage)).toEqual([]);
    await ask('does it work?');
    await shows('#message-table', 'failed: server');
    await shows('#error-table', 'fault.started');
    await tab.click('[data-fault="models-full"] button');
    await tab.until(`document.querySelector('#active-faults').hidden`);
    await slackPage.until(`document.querySelector('#dashboard').textContent === 'To the dashboard'`);
    await slackPage.close();
    const answered = `[...document.querySelectorAll('.state.answered')].length`;
    const before = Number(await tab.evaluate(answered));
    await ask('does it work again?');
    await tab.until(`${answered} > ${before}`);
    expect(tab.errors).toEqual([]);
  });

  test('a fault ends by itself after its time', async () => {
    await openDashboard();
    const url = String(await tab.evaluate('location.origin'));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'duplicate-events', seconds: 3 });
    expect((await fetch(`${url}/faults`, { method: 'POST', headers, body })).status).toBe(200);
    await shows('#active-faults', 'Duplicate events');
    await ask('only one answer, please');
    await tab.until(`document.querySelector('#active-faults').hidden`);
  });

  test('the pages of Slack and Discord link to it', async () => {
    tab = await browser.open(journey.slack.url);
    await tab.until(`document.querySelector('#dashboard:not([hidden])')`);
    expect(await tab.evaluate(`document.querySelector('#dashboard').href`)).toBe(
      `${journey.system.local.api}/dashboard`,
    );
    await tab.click('#dashboard');
    await tab.until(`document.title === 'Parley: dashboard'`);
  });
});

/** The data as the page loads them. */
const read = async ({ system }: JourneyHarness) => {
  const response = await fetch(`${system.local.api}/dashboard`, { redirect: 'manual' });
  const answer = await fetch(new URL('/data', response.headers.get('location') ?? ''));
  return await answer.json();
};

test('the numbers of earlier runs are there after a restart', async () => {
  const data = dataFolder();
  const first = await startJourneyHarness(data.path);
  await answersIn(first.slack, await first.slack.say('ada', '@parley hello'));
  await first.system.close();
  const second = await startJourneyHarness(data.path);
  expect(await read(second)).toMatchObject({
    totals: { answers: 1 },
    messages: [{ state: 'answered', channelName: '#general' }],
    usage: { people: [{ name: 'Ada Lovelace' }] },
  });
  await second.system.close();
  data.remove();
});
