import { expect, test } from '@jest/globals';
import { refusedContent } from './canvas-content.ts';
import { ADA, GRACE, setUp, text } from './harness.ts';

const content = (markdown: string) => ({ type: 'markdown', markdown });

test.each([
  ['#### a', 'Unsupported heading level'],
  ['> - a', 'Unsupported block type (List) within block quote'],
  ['> # a', 'within block quote'],
  ['- a\n  > b', 'within list'],
  ['- > a', 'within list'],
  ['- a\n  ```\n  b\n  ```', 'within list'],
  ['1. a\n   - b', 'list within list'],
  ['<b>a', 'HTML'],
  [['| a | b |', '|---|---|', ...Array.from({ length: 150 }, () => '| c | d |')].join('\n'), 'table'],
])('%#: a canvas does not accept part of a text', (markdown, problem) => {
  expect(refusedContent(markdown)).toContain(problem);
});

test('canvases are created, edited, shared and deleted within the rules of Slack', () => {
  const { call, channel, workspace } = setUp();
  expect(call('canvases.create', { document_content: { type: 'html' } })).toMatchObject({
    error: 'invalid_arguments',
  });
  expect(call('canvases.create', { document_content: content('> - a') })).toMatchObject({
    error: 'canvas_creation_failed',
    detail: expect.stringContaining("'content' error: line 1: Unsupported block type (List)"),
  });
  expect(call('canvases.create', { document_content: content('x'.repeat(1_048_577)) })).toMatchObject({
    error: 'invalid_arguments',
  });
  expect(call('canvases.create', { title: 'x', more: 1 })).toMatchObject({ error: 'invalid_arguments' });
  const id = text(call('canvases.create', { title: 'x' })['canvas_id']);
  const edit = (markdown: string) =>
    call('canvases.edit', {
      canvas_id: id,
      changes: JSON.stringify([{ operation: 'replace', document_content: content(markdown) }]),
    });
  expect(edit('#### a')).toMatchObject({ error: 'canvas_editing_failed' });
  expect(edit('### a')).toMatchObject({ ok: true });
  const share = (who: Record<string, unknown>) =>
    call('canvases.access.set', { canvas_id: id, access_level: 'read', ...who });
  const direct = [...workspace.state.channels.values()].find(({ kind }) => kind === 'im')?.id;
  expect(share({ channel_ids: [direct] })).toMatchObject({ error: 'channel_not_found' });
  expect(share({ channel_ids: [channel], user_ids: [ADA] })).toMatchObject({ error: 'invalid_parameters' });
  expect(share({ user_ids: ['U0NOBODY'] })).toMatchObject({ error: 'user_not_found' });
  expect(share({ channel_ids: [channel] })).toMatchObject({ ok: true });
  expect(share({ user_ids: [ADA, GRACE] })).toMatchObject({ error: 'invalid_arguments' });
  for (const user of [ADA, GRACE]) expect(share({ user_ids: [user] })).toMatchObject({ ok: true });
  expect(workspace.state.files.get(id)?.file.canvas).toEqual({ channels: [channel], users: [ADA, GRACE] });
  expect(call('files.info', { file: id })).toMatchObject({
    file: { permalink: expect.stringMatching(/\/docs\/T/u) },
  });
  expect(call('canvases.delete', { canvas_id: id })).toMatchObject({ ok: true });
  expect(call('canvases.delete', { canvas_id: id })).toMatchObject({ error: 'canvas_not_found' });
});
