import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDeploymentSource } from '../../infra/parley/dashboard/deployment-source.ts';
import { type ServedDashboard, serveDashboard } from '../../infra/parley/dashboard/serve-dashboard.ts';
import { AwsCallError } from '../../infra/parley/operator/operator-call.ts';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import { fakeDeployment, MINUTE, NOON } from '../infra/parley/dashboard/fake-deployment.ts';
import { violations } from './axe.ts';

const alarm = (name: string, state: string) => ({
  AlarmName: `Parley-${name}`,
  AlarmDescription: `Something is wrong. What to do: docs/runbook.md#${name}`,
  StateValue: state,
  StateUpdatedTimestamp: NOON / 1_000,
});

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  let page: ServedDashboard;
  const errors: unknown[] = [];
  beforeAll(async () => {
    const { options } = fakeDeployment({
      lines: [
        [NOON - MINUTE, { event: 'answer.ended', kind: 'failed', reason: 'server', AnswerTime: 900 }],
        [NOON - MINUTE, { event: 'answer.failed', level: 'warn', reason: 'server', status: 503 }],
      ],
      metrics: { 'AnswerTime SampleCount': 7, 'FirstWord p50 total': 640, 'FirstWord p95 total': 990 },
      alarms: [alarm('answers-slow', 'ALARM'), alarm('dead-letter-stuck', 'OK')],
      fail: (operation) => {
        if (operation === 'Scan')
          throw new AwsCallError('Scan', 'AccessDeniedException', 'The credentials lack the right.');
      },
    });
    page = await serveDashboard(createDeploymentSource(options), 0, (error) => errors.push(error));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await page.close();
  });

  test('the page of a deployment names it, shows what may be read, says what may not, and has no faults', async () => {
    const tab = await browser.open(page.url);
    await tab.until(`document.querySelector('#main:not([aria-busy])')`);
    const text = async (selector: string) =>
      String(await tab.evaluate(`document.querySelector('${selector}').innerText`)).replaceAll(/\s+/gu, ' ');
    expect(await text('#system')).toBe('Parley in eu-central-1');
    expect(await text('#totals')).toContain(
      'Answers 7 Failed 1 Waiting now 4 First word, p50 / p95 640 ms / 990 ms',
    );
    expect(await text('#alarm-table')).toMatch(/answers-slow alarm .* dead-letter-stuck ok/u);
    expect(await text('#error-table')).toContain('reason server, status 503');
    expect(await text('#notes')).toContain(
      'Usage by person, channel and model: Scan failed (AccessDeniedException)',
    );
    expect(await text('[data-table="person"]')).toBe('People Not read: the top of the page says why.');
    expect(await tab.evaluate(`document.querySelector('#fault-section').hidden`)).toBe(true);
    const problems: string[] = [];
    for (const width of [1_280, 375]) {
      await tab.resize(width, 800);
      for (const theme of ['light', 'dark']) {
        await tab.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
        problems.push(...(await violations(tab)).map((one) => `${width} px, ${theme}: ${one}`));
      }
    }
    expect(problems).toEqual([]);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(375);
    expect([...tab.errors, ...errors]).toEqual([]);
    await tab.close();
  });
});
