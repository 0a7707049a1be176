import { expect, test } from '@jest/globals';
import { getToolName } from '../../shared/tools/server-tools.ts';

const LONG = 'list-calendar-events-of-shared-mailboxes-in-';

test.each([
  ['jira', 'admin.tools/list', 'jira__admin_tools_list'],
  ['my-wiki', 'find-page', 'my_wiki__find-page'],
  // As long as models accept.
  ['wiki', 'x'.repeat(58), `wiki__${'x'.repeat(58)}`],
])('the tool of %s with the name %s is %s for models', (server, tool, name) => {
  expect(getToolName(server, tool)).toBe(name);
});

test('tools whose long names differ at their end have different names of at most 64 characters', () => {
  const names = ['the-organization', 'the-organisation'].map((end) =>
    getToolName('microsoft-365', LONG + end),
  );
  expect(names).toEqual([
    'microsoft_365__list-calendar-ev__d-mailboxes-in-the-organization',
    'microsoft_365__list-calendar-ev__d-mailboxes-in-the-organisation',
  ]);
  expect(names.map(({ length }) => length)).toEqual([64, 64]);
});
