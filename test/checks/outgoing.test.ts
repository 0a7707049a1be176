import { expect, test } from '@jest/globals';
import { findOutgoingProblems, opensConnections } from '../../infra/checks/outgoing.ts';
import { readSourceTree } from '../../infra/checks/source-tree.ts';

test('docs/outgoing.md lists each file that opens connections, each host, and each AWS service', async () => {
  expect(findOutgoingProblems(await readSourceTree())).toEqual([]);
});

test.each([
  [
    'shared/other/send.ts',
    'await fetch(url);',
    'shared/other/send.ts may open connections: add what it sends, and to whom, to docs/outgoing.md',
  ],
  [
    'shared/search/other-service.ts',
    "const baseUrl = 'https://api.other-search.com/v1';",
    'https://api.other-search.com is in the code of the deployment, and not in docs/outgoing.md',
  ],
])('a new %s with %s is reported', async (path, text, problem) => {
  expect(findOutgoingProblems([...(await readSourceTree()), { path, text }])).toEqual([problem]);
});

test('a row without a sender, and an AWS service without a row, are reported', async () => {
  const files = await readSourceTree();
  const changed = files.map((file) => {
    if (file.path === 'docs/outgoing.md')
      return {
        ...file,
        text: file.text.replace('`sqs`', '').replace('`shared/mcp`', '`shared/mcp/gone.ts`'),
      };
    return file;
  });
  const problems = findOutgoingProblems(changed);
  expect(problems.filter((problem) => /^shared\/mcp\/\S+ may open connections/u.test(problem))).not.toEqual(
    [],
  );
  expect(problems).toContain('docs/outgoing.md: shared/mcp/gone.ts opens no connections');
  expect(problems).toContain('sqs is in the code of the deployment, and not in docs/outgoing.md');
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
])('%s: opens connections is %s', (text, expected) => {
  expect(opensConnections(text)).toBe(expected);
});
