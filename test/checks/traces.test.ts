import { expect, test } from '@jest/globals';
import { findForbiddenContent } from '../../infra/checks/forbidden-content.ts';
import { readSourceTree } from '../../infra/checks/source-tree.ts';

const findIn = (text: string, path = 'shared/x.ts', here: string[] = []) =>
  findForbiddenContent([{ path, text }], here);

// Put together here, so that the check of this very file finds nothing.
const joined = (...parts: string[]) => parts.join('');

test('the project holds no secret, no path of a machine, nothing unfinished', async () => {
  expect(findForbiddenContent(await readSourceTree())).toEqual([]);
});

test.each([
  ['a bot token', joined('xox', 'b-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx')],
  ['an app token', joined('xapp', '-1-A0123456789-1234567890123-', '0123456789abcdef'.repeat(4))],
  ['an AWS key', joined('AKI', 'A0123456789ABCDEF')],
  ['a model key', joined('s', 'k-0123456789abcdef0123456789abcdef')],
  ['a private key', joined('-----BEGIN ', 'RSA PRIVATE KEY-----')],
  ['a home folder', joined('/ho', 'me/someone/parley')],
  ['the host of a registry', joined('see https://regis', 'try.example.org/a')],
  ['a registry in .npmrc', joined('@own:regis', 'try=https://packages.example.net/')],
  ['unfinished work', joined('// TO', 'DO: the rest')],
])('%s is found, and not shown', (_, secret) => {
  expect(findIn(`const x = 1;\n${secret}\n`)).toEqual([expect.stringMatching(/^shared\/x\.ts:2: [^0-9]+$/u)]);
});

test('a lockfile that names a registry is found', () => {
  const entry = joined('"resol', 'ved": "https://example.org/a.tgz"');
  expect(findIn(entry, 'package-lock.json')).toHaveLength(1);
  expect(findIn(entry, 'docs/other.json')).toEqual([]);
});

test('a path of this machine is found', () => {
  expect(findIn('see /somewhere/parley', 'README.md', ['/somewhere/'])).toHaveLength(1);
});

test('addresses and ordinary words are left alone', () => {
  expect(findIn('https://example.org/home/page/ xoxb-... sk-learn AKIAIOSFODNN7EXAMPLE')).toEqual([]);
});
