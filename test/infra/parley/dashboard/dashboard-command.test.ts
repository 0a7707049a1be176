import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DashboardOptions, runDashboard } from '../../../../infra/parley/dashboard/dashboard-command.ts';
import { createDeploymentSource } from '../../../../infra/parley/dashboard/deployment-source.ts';
import { createRenewingCall } from '../../../../infra/parley/operator/renewing-call.ts';
import { serveDashboard } from '../../../../infra/parley/dashboard/serve-dashboard.ts';
import { AwsCallError } from '../../../../infra/parley/operator/operator-call.ts';
import { hasBrowser } from '../../../../infra/parley/output/open-browser.ts';
import { fakeDeployment } from './fake-deployment.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-dashboard-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(options: Partial<DashboardOptions>) {
  const [printed, reported]: [string[], string[]] = [[], []];
  const all = { data: folder, json: false, workspace: [], port: 0, browser: true, ...options };
  const code = await runDashboard(
    all,
    {
      print: (line) => void printed.push(line),
      report: (line) => void reported.push(line),
      hasColors: false,
      width: 80,
      confirm: undefined,
      env: { SSH_CONNECTION: '10.0.0.1' },
    },
    AbortSignal.abort(),
  );
  return { code, printed, reported };
}

test('the address of the local page is printed where there is no browser', async () => {
  await expect(run({})).rejects.toThrow('The local system does not run.');
  const endpoints = { dynamodb: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:1' };
  const aws = { region: 'local', accessKeyId: 'a', secretAccessKey: 's', endpoints, outputs: {} };
  const content = { api: 'http://127.0.0.1:3000', slack: { teamId: 'T1' }, aws };
  writeFileSync(join(folder, 'local.json'), JSON.stringify(content));
  expect(await run({})).toEqual({
    code: 0,
    printed: ['http://127.0.0.1:3000/dashboard'],
    reported: ['Open this address in a browser.'],
  });
  expect(JSON.parse((await run({ json: true })).printed[0] ?? '')).toMatchObject({
    url: 'http://127.0.0.1:3000/dashboard',
  });
});

test.each([
  [{ SSH_CONNECTION: '10.0.0.1', DISPLAY: ':0' }, 'linux', false],
  [{}, 'linux', false],
  [{ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', true],
  [{}, 'darwin', true],
])('%j on %s: a browser is %p', (env, platform, expected) => {
  expect(hasBrowser(env, platform)).toBe(expected);
});

test('the page of a deployment is served on loopback without faults; a port in use is explained', async () => {
  const source = createDeploymentSource(fakeDeployment().options);
  const page = await serveDashboard(source, 0, () => undefined);
  expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/u);
  const data: unknown = await (await fetch(new URL('/data?minutes=60', page.url))).json();
  expect(data).toMatchObject({ system: 'Parley in eu-central-1', faults: [] });
  const fault = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"x","seconds":9}',
  };
  expect((await fetch(new URL('/faults', page.url), fault)).status).toBe(404);
  const port = Number(new URL(page.url).port);
  await expect(serveDashboard(source, port, () => undefined)).rejects.toThrow('Choose another --port');
  await page.close();
});

test('expired credentials are read again, at most every half minute; without new ones AWS says what to do', async () => {
  const expired = new AwsCallError('x', 'ExpiredTokenException', 'run "aws sso login"');
  let now = 0;
  let renewals = 0;
  let isSignedIn = false;
  const old = () => Promise.reject(expired);
  const call = createRenewingCall(
    old,
    () => {
      renewals += 1;
      return isSignedIn ? Promise.resolve(() => Promise.resolve('new')) : Promise.reject(expired);
    },
    () => now,
  );
  await expect(Promise.all([call('s', 't', {}), call('s', 't', {})])).rejects.toThrow('aws sso login');
  isSignedIn = true;
  await expect(call('s', 't', {})).rejects.toThrow('aws sso login');
  expect(renewals).toBe(1);
  now = 31_000;
  expect(await call('s', 't', {})).toBe('new');
  expect(renewals).toBe(2);
});
