import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, readSourceTree } from '../../infra/checks/source-tree.ts';

/*
 * Compares the code of a deployment with the table in docs/outgoing.md. A sender is a file that opens connections: by `fetch`, by a request of
 * Node.js, or by a package that does.
 */

/** Packages that open no connections. Another one is a sender until it is listed here. */
const SILENT = new Set([
  '@cfworker/json-schema',
  '@mediabunny/mp3-encoder',
  '@slack/types',
  // Receives: its client has no token.
  '@slack/bolt',
  '@wasm-audio-decoders/flac',
  'aws-lambda',
  'aws4',
  'discord-api-types',
  'eventsource-parser',
  'intl-messageformat',
  'mediabunny',
  'mpg123-decoder',
  'opus-decoder',
  'opusscript',
  'unpdf',
  'valibot',
]);
/** Files that have such a function of their own, or get one from a sender. */
const NO_SENDERS = new Set(['shared/aws/secrets.ts', 'shared/video/store-result.ts']);

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/^\s*\/\/.*$/gmu, '');

const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/u.exec(name)?.[0] ?? name;

/** Whether a file opens connections. */
function isSender(text: string): boolean {
  const code = withoutComments(text);
  if (/(?<![.\w#])fetch\(|[{,]\s*fetch\s*[,}]|= fetch\b/u.test(code)) return true;
  const imports = [...code.matchAll(/^import (?!type )([\s\S]*?) from '([^']+)';/gmu)];
  return imports.some(([, names = '', name = '']) => {
    if (name.startsWith('.')) return false;
    const values = names.replaceAll(/\btype \w+(?: as \w+)?/gu, '');
    if (/^node:(?:http|https|http2)$/u.test(name)) return /\brequest|\bget\b|\bconnect/u.test(values);
    if (/^node:(?:net|tls|dgram)$/u.test(name))
      return /\bconnect|\bcreateConnection|\bcreateSocket/u.test(values);
    if (name.startsWith('node:')) return false;
    return /\w/u.test(values) && !SILENT.has(packageOf(name));
  });
}

/** The hosts that code names, as they are there. */
const hostsIn = (text: string): string[] =>
  [...withoutComments(text).matchAll(/https?:\/\/[a-z0-9*-]+(?:\.[a-z0-9*-]+)+/gu)].map(([host]) => host);

/** Hosts that nothing is sent to: links for people, loopback, and an example in an error message. */
const NO_TARGETS =
  /^https?:\/\/(?:127\.0\.0\.1|(?:[\w.-]+\.)?example\.com|id\.execute-api\.region\.amazonaws\.com)$/u;

const page = readFileSync(join(PROJECT, 'docs/outgoing.md'), 'utf8');
const paths = [...page.matchAll(/`((?:shared|functions)\/[^`]+)`/gu)].flatMap(([, path = '']) => path);
const isListed = (file: string): boolean =>
  paths.some((path) => file === path || file.startsWith(`${path}/`));

const sources = async () =>
  (await readSourceTree()).filter(
    ({ path }) => /^(?:shared|functions)\/.*\.ts$/u.test(path) && !path.includes('/examples/'),
  );

test('each file that opens connections is in the table of what leaves the deployment', async () => {
  const senders = (await sources())
    .filter(({ path, text }) => !NO_SENDERS.has(path) && isSender(text))
    .map(({ path }) => path);
  expect(senders.length).toBeGreaterThan(10);
  expect(senders.filter((path) => !isListed(path))).toEqual([]);
  const idle = paths.filter((path) => !senders.some((file) => file === path || file.startsWith(`${path}/`)));
  // Logs and metrics are written to the output, which AWS collects.
  expect(idle.filter((path) => path !== 'shared/runtime')).toEqual([]);
});

test('each host that the code names, and each AWS service, is in the table', async () => {
  const hosts = new Set((await sources()).flatMap(({ text }) => hostsIn(text)));
  const named = [...hosts].filter((host) => !NO_TARGETS.test(host));
  expect(named).toContain('https://slack.com');
  expect(named.filter((host) => !page.includes(`\`${host}\``))).toEqual([]);
  const config = readFileSync(join(PROJECT, 'shared/runtime/config/config.ts'), 'utf8');
  const services = [...(/type AwsService = ([^;]*);/u.exec(config)?.[1] ?? '').matchAll(/'(\w+)'/gu)];
  expect(services.length).toBeGreaterThan(4);
  expect(services.flatMap(([, name]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test.each([
  ["const response = await fetch(url, { method: 'POST' });", true],
  ["import { Agent, type Dispatcher } from 'undici';", true],
  ["import { request as httpsRequest } from 'node:https';", true],
  ["import { createClient } from 'a-package-that-nobody-listed';", true],
  ['createSearchClient({ service, fetch, time });', true],
  ["import { type Dispatcher } from 'undici';", false],
  ["import type { WebClient } from '@slack/web-api';", false],
  ["import { createServer, type IncomingMessage } from 'node:http';", false],
  ['// fetch(url) is not called', false],
  ['await guard.fetch(url);', false],
])('%s: a sender is %s', (text, expected) => {
  expect(isSender(text)).toBe(expected);
});
