import { expect, test } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../../infra/cdk/bundle.ts';
import { buildTemplate } from '../../../infra/local/template/build.ts';
import { plain, TemplateView } from '../template.ts';

test('a function bundled with all others is identical to one bundled alone', async () => {
  const built = await buildTemplate();
  const functions = new TemplateView(built.template).all('AWS::Lambda::Function');
  const id = functions.find((one) => plain(one.id).startsWith('DiscordEvents'))?.id ?? '';
  const deployed = await readFile(join(built.assetDir(id), 'index.js'));
  const folder = await mkdtemp(join(tmpdir(), 'parley-bundle-'));
  bundle('discord-events', join(folder, 'index.js'));
  const alone = await readFile(join(folder, 'index.js'));
  await rm(folder, { recursive: true });
  expect(deployed.equals(alone)).toBe(true);
});

test('the source of a worker is Latin-1, which V8 keeps in half of the memory', async () => {
  const built = await buildTemplate();
  const functions = new TemplateView(built.template).all('AWS::Lambda::Function');
  for (const { id } of functions.filter((one) => /^(?:Large)?Worker/u.test(one.id))) {
    const code = await readFile(join(built.assetDir(id), 'index.js'), 'utf8');
    expect(code.match(/[\u0100-\uffff]/g)).toBeNull();
    expect(code).toContain('[.!?\\u2026]');
    // The copy of `util.inspect` in the event emitter of @discordjs/rest.
    expect(code).not.toContain('inspectDefaultOptions');
  }
});

test('the front of Slack has at most 160 KB, and of the description of Bolt only its name and version', async () => {
  const built = await buildTemplate();
  const functions = new TemplateView(built.template).all('AWS::Lambda::Function');
  const id = functions.find((one) => plain(one.id).startsWith('SlackEvents'))?.id ?? '';
  const code = await readFile(join(built.assetDir(id), 'index.js'), 'utf8');
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(160 * 1_024);
  expect(code).toMatch(/name:"@slack\/bolt",version:"\d/u);
  expect(code).not.toContain('devDependencies');
});

/** Their memory and start do not decide the price of an answer. */
const WITH_AWS_SDK = /^(?:Sweeper|DeadLetters|Transcriber)/u;

test('functions that decide the price of an answer do not contain the AWS SDK, which is larger and slower', async () => {
  const built = await buildTemplate();
  const externals = new Map<string, boolean>();
  for (const { id } of new TemplateView(built.template).all('AWS::Lambda::Function')) {
    const code = await readFile(join(built.assetDir(id), 'index.js'), 'utf8');
    externals.set(plain(id), /@smithy|aws-sdk-js|httpHandlerConfigs/u.test(code));
  }
  const withSdk = [...externals].filter(([, has]) => has).map(([name]) => name);
  expect(withSdk.length).toBe(3);
  expect(withSdk.filter((name) => !WITH_AWS_SDK.test(name))).toEqual([]);
});
