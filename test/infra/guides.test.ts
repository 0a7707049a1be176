import { beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { readContextOptions } from '../../infra/cdk/context-options.ts';
import { formatManifest } from '../../infra/cli/slack-manifest.ts';
import { VARIABLES } from '../../infra/configuration/variables.ts';
import { buildTemplate } from '../../infra/local/template/build.ts';
import { TemplateView, WORKER_SERVICE_OUTPUTS } from './template.ts';

// Every name in the guides exists.

const PROJECT = join(import.meta.dirname, '..', '..');
const GUIDES = [
  'README.md',
  'docs/slack.md',
  'docs/discord.md',
  'docs/deploying.md',
  'docs/configuration.md',
  'docs/runbook.md',
];

let text: string;
let template: TemplateView;
let scripts: readonly string[];

beforeAll(async () => {
  template = new TemplateView((await buildTemplate()).template);
  const pages = await Promise.all(GUIDES.map((page) => readFile(join(PROJECT, page), 'utf8')));
  text = pages.join('\n');
  const manifest: unknown = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
  scripts = Object.keys(v.parse(v.object({ scripts: v.record(v.string(), v.unknown()) }), manifest).scripts);
});

/** The distinct matches of the first group. */
const all = (pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = '']) => name)),
];

test('the guides name existing npm commands', () => {
  const called = all(/npm run (?:-s )?([a-z][a-z:-]*)/gu);
  expect(called.length).toBeGreaterThan(5);
  expect(called.filter((name) => !scripts.includes(name))).toEqual([]);
});

test('the guides name existing parameters of the deployment', () => {
  const parameterNames = all(/--parameters (\w+)=/gu);
  expect(parameterNames).toEqual(
    expect.arrayContaining(['UpstreamBaseUrl', 'DiscordApplicationId', 'DiscordPublicKey']),
  );
  expect(parameterNames.filter((name) => name !== 'Name' && !(name in template.parameters))).toEqual([]);
});

test('the guides name existing synthesis options', () => {
  const flags: string[] = [];
  readContextOptions((key) => void flags.push(key));
  expect(all(/ -c ([a-zA-Z]+)=/gu).filter((key) => !flags.includes(key))).toEqual([]);
});

test('the guides name existing outputs of the stack, in commands and in prose', () => {
  const outputs = [...all(/\$\(out (\w+)\)/gu), ...all(/`((?:Slack|Discord|Upstream)\w*(?:Url|Secret))`/gu)];
  const names = [...template.outputs, ...WORKER_SERVICE_OUTPUTS, ...Object.keys(template.parameters)];
  expect(outputs).toEqual(
    expect.arrayContaining([
      'SlackEventsUrl',
      'DiscordInteractionsUrl',
      'DiscordEventsUrl',
      'SlackSigningSecret',
    ]),
  );
  // The outputs of the relay and the bucket exist where they are chosen; the others always.
  expect(outputs.filter((name) => !names.includes(name))).toEqual([]);
});

test('the guides name existing variables', () => {
  const variables = all(/`((?:SLACK|DISCORD|UPSTREAM)_[A-Z_]*[A-Z])[`=]/gu);
  expect(variables.length).toBeGreaterThan(10);
  expect(variables.filter((name) => !Object.hasOwn(VARIABLES, name))).toEqual([]);
});

test('the manifest uses routes of the deployment only', () => {
  const origin = 'https://abc123.execute-api.eu-central-1.amazonaws.com';
  const urls = [...formatManifest(['--channels', '--org', '--url', origin]).matchAll(/"(https:[^"]+)"/gu)];
  const routes = template.all('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties['RouteKey']);
  const called = urls.map(([, url = '']) => url.replace(origin, ''));
  expect(called.toSorted()).toEqual([
    '/slack/events',
    '/slack/events',
    '/slack/events',
    '/slack/oauth_redirect',
  ]);
  expect(routes).toEqual(expect.arrayContaining(['POST /slack/events', 'GET /slack/oauth_redirect']));
});
