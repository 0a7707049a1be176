import { expect, test } from '@jest/globals';
import { getFileAccess, createFileHosts } from '../../../../shared/platforms/slack/files/file-hosts.ts';

const own = (name: string) => [`https://files.${name}.com`, `https://files-origin.${name}.com`];

test.each<[string, string[], string[], string[]]>([
  ['https://slack.com/api/', [], [...own('slack'), 'https://slack-files.com'], ['slack-edge.com']],
  [
    'https://slack-gov.com/api/',
    [],
    [...own('slack-gov'), 'https://slack-files-gov.com'],
    ['slack-edge-gov.com'],
  ],
  [
    'https://slack.com/api/',
    ['files.example', '127.0.0.1:9', 'files.slack.com'],
    [...own('slack'), 'https://slack-files.com', 'https://files.example', 'http://127.0.0.1:9'],
    ['slack-edge.com'],
  ],
  ['http://127.0.0.1:3000/api/', [], ['http://127.0.0.1:3000'], []],
  [
    'http://127.0.0.1:3000/api/',
    ['127.0.0.1:3000', '[::1]:4'],
    ['http://127.0.0.1:3000', 'http://[::1]:4'],
    [],
  ],
  ['https://localhost:3000/api/', ['localhost:3000'], ['https://localhost:3000'], []],
  ['http://slack.example:3000/api/', [], ['https://slack.example:3000'], []],
  ['http://proxy.example/api/', ['proxy.example', 'not a host'], ['https://proxy.example'], []],
  [
    'https://proxy.example/api/',
    ['files.slack-gov.com'],
    [...own('slack-gov'), 'https://slack-files-gov.com'],
    ['slack-edge-gov.com'],
  ],
])('the file hosts of %s with the configured hosts %j are %j', (api, hosts, origins, edges) => {
  expect(createFileHosts(api, hosts)).toEqual({
    own: origins,
    presigned: edges.map((edge) => `https://*.${edge}`),
  });
});

test.each([
  ['https://files.slack.com/files-pri/T1-F1/a.txt', 'token'],
  ['https://files-origin.slack.com/files-pri/T1-F1/a.txt', 'token'],
  ['https://slack-files.com/files-tmb/T1-F1/a.png', 'token'],
  ['https://slack-files.com/files-pri-safe/T1-F1/a.pdf?c=1-2', 'no-token'],
  ['https://downloads.slack-edge.com/a?x=1', 'no-token'],
  ['https://a.b.slack-edge.com/a', 'no-token'],
  ['https://slack-edge.com/a', undefined],
  ['https://evilslack-edge.com/a', undefined],
  ['https://slack-edge.com.evil.example/a', undefined],
  ['https://a.slack-edge.com:8443/a', undefined],
  ['http://a.slack-edge.com/a', undefined],
  ['http://files.slack.com/a', undefined],
  ['https://files.slack.com:444/a', undefined],
  ['https://files.slack.com.evil.example/a', undefined],
  ['https://user@files.slack.com/a', undefined],
  ['https://user:word@a.slack-edge.com/a', undefined],
  ['https://slack.com/a', undefined],
  ['files.slack.com', undefined],
])('a request to %s has the token: %s', (address, access) => {
  expect(getFileAccess(address, createFileHosts('https://slack.com/api/'))).toBe(access);
});
