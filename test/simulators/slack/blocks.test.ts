import { describe, expect, test } from '@jest/globals';
import { checkBlocks, checkMessageBlocks } from './blocks.ts';
import type { Json } from './state.ts';
import { setUp, text as words } from './harness.ts';

const text = (length: number, type = 'plain_text'): Json => ({ type, text: 'x'.repeat(length) });
const button = (more: Json = {}): Json => ({ type: 'button', text: text(5), ...more });
const dialog = (more: Json = {}): Json => ({
  title: text(100),
  text: text(300, 'mrkdwn'),
  confirm: text(30),
  deny: text(30),
  ...more,
});
const actions = (...elements: Json[]): Json => ({ type: 'actions', elements });
const cell = (length: number): Json => ({ type: 'raw_text', text: 'x'.repeat(length) });
const table = (rows: number, columns: number, length = 1): Json => ({
  type: 'table',
  rows: Array.from({ length: rows }, () => Array.from({ length: columns }, () => cell(length))),
});
const rich = (value: string): Json => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: value }] }],
});
const thumb = (label: number, value = 'v'): Json => ({ text: text(label), value });
const feedback = (positive: Json, negative: Json): Json => ({
  type: 'context_actions',
  elements: [{ type: 'feedback_buttons', positive_button: positive, negative_button: negative }],
});
const task = (more: Json = {}): Json => ({
  type: 'task_card',
  task_id: 't',
  title: 'Thought',
  status: 'complete',
  ...more,
});
const many = (count: number, one: Json): Json[] => Array.from({ length: count }, () => ({ ...one }));
const markdown = (length: number): Json => ({ type: 'markdown', text: 'x'.repeat(length) });
const menu: Json = {
  type: 'static_select',
  action_id: 'a',
  placeholder: text(10),
  options: [{ text: text(75), value: 'v' }],
};
const section = (length: number): Json => ({ type: 'section', text: text(length, 'mrkdwn') });

describe('Slack accepts', () => {
  test.each<[string, Json[]]>([
    ['fifty blocks', many(50, { type: 'divider' })],
    ['a section of 3,000 characters', [section(3_000)]],
    ['a section of ten fields', [{ type: 'section', fields: many(10, text(2_000)) }]],
    ['a section with a button', [{ ...section(1), accessory: button() }]],
    [
      '25 buttons, labels of 75 characters, values of 2,000',
      [actions(...many(25, button({ text: text(75), value: 'x'.repeat(2_000), style: 'danger' })))],
    ],
    ['a table of 100 rows and 20 columns', [table(100, 20)]],
    ['a table of 10,000 characters', [table(10, 10, 100)]],
    [
      'a table of rich text and numbers',
      [
        {
          type: 'table',
          rows: [[rich('a'), { type: 'raw_number', value: 1, text: '1' }]],
          column_settings: [{ align: 'right' }],
        },
      ],
    ],
    ['feedback buttons', [feedback(thumb(75), thumb(75))]],
    [
      'an icon button',
      [{ type: 'context_actions', elements: [{ type: 'icon_button', icon: 'trash', text: text(3) }] }],
    ],
    [
      'a context of text and a picture',
      [
        {
          type: 'context',
          elements: [text(10, 'mrkdwn'), { type: 'image', image_url: 'https://a.example/', alt_text: '' }],
        },
      ],
    ],
    ['a button with a confirmation', [actions(button({ confirm: dialog({ style: 'danger' }) }))]],
    ['a header', [{ type: 'header', text: text(150) }]],
    [
      'task cards, alone and in a plan',
      [task({ details: rich('a'), output: rich('b') }), { type: 'plan', title: 'Plan', tasks: [task()] }],
    ],
    ['a picture', [{ type: 'image', image_url: 'https://a.example/', alt_text: 'a' }]],
  ])('%s', (_what, blocks) => {
    expect(() => checkBlocks(blocks)).not.toThrow();
  });
});

describe('Slack refuses', () => {
  test.each<[string, string, Json[]]>([
    ['51 blocks', 'invalid_blocks', many(51, { type: 'divider' })],
    ['an unknown type', 'invalid_blocks', [{ type: 'marquee' }]],
    ['no type', 'invalid_blocks', [{}]],
    ['one block_id twice', 'invalid_blocks', many(2, { type: 'divider', block_id: 'a' })],
    ['a section without text', 'invalid_blocks', [{ type: 'section' }]],
    ['an empty section', 'invalid_blocks', [section(0)]],
    ['a section of 3,001 characters', 'invalid_blocks', [section(3_001)]],
    ['a section whose text is not a text object', 'invalid_blocks', [{ type: 'section', text: 'words' }]],
    ['a field of 2,001 characters', 'invalid_blocks', [{ type: 'section', fields: [text(2_001)] }]],
    ['a header in mrkdwn', 'invalid_blocks', [{ type: 'header', text: text(3, 'mrkdwn') }]],
    ['a header of 151 characters', 'invalid_blocks', [{ type: 'header', text: text(151) }]],
    ['no buttons', 'invalid_blocks', [actions()]],
    ['26 buttons', 'invalid_blocks', [actions(...many(26, button()))]],
    ['a label of 76 characters', 'invalid_blocks', [actions(button({ text: text(76) }))]],
    ['a label in mrkdwn', 'invalid_blocks', [actions(button({ text: text(3, 'mrkdwn') }))]],
    ['a value of 2,001 characters', 'invalid_blocks', [actions(button({ value: 'x'.repeat(2_001) }))]],
    ['an unknown style', 'invalid_blocks', [actions(button({ style: 'pink' }))]],
    ['a confirmation that is no object', 'invalid_blocks', [actions(button({ confirm: 'Sure?' }))]],
    ...[
      { title: text(101) },
      { title: text(0) },
      { title: text(3, 'mrkdwn') },
      { text: text(301) },
      { confirm: text(31) },
      { deny: text(31) },
      { deny: null },
      { style: 'pink' },
    ].map((fault): [string, string, Json[]] => [
      `a confirmation with ${JSON.stringify(fault).slice(0, 40)}`,
      'invalid_blocks',
      [{ ...section(1), accessory: button({ confirm: dialog(fault) }) }],
    ]),
    ['one action_id twice in a block', 'invalid_blocks', [actions(...many(2, button({ action_id: 'a' })))]],
    ['feedback buttons among buttons', 'invalid_blocks', [actions({ type: 'feedback_buttons' })]],
    ['buttons among feedback buttons', 'invalid_blocks', [{ type: 'context_actions', elements: [button()] }]],
    ['one feedback button', 'invalid_blocks', [feedback(thumb(3), {})]],
    ['a feedback button labelled with 76 characters', 'invalid_blocks', [feedback(thumb(76), thumb(3))]],
    ['eleven elements in a context', 'invalid_blocks', [{ type: 'context', elements: many(11, text(1)) }]],
    ['a picture without alt text', 'invalid_blocks', [{ type: 'image', image_url: 'https://a.example/' }]],
    ['empty Markdown', 'invalid_blocks', [{ type: 'markdown', text: '' }]],
    ['a table of 101 rows', 'invalid_blocks', [table(101, 1)]],
    ['a table of 21 columns', 'invalid_blocks', [table(1, 21)]],
    ['an empty cell', 'invalid_blocks', [{ type: 'table', rows: [[cell(1), cell(0)]] }]],
    ['an empty cell of rich text', 'invalid_blocks', [{ type: 'table', rows: [[rich('')]] }]],
    ['a cell of mrkdwn', 'invalid_blocks', [{ type: 'table', rows: [[text(3, 'mrkdwn')]] }]],
    ['a table of 10,001 characters', 'invalid_blocks', [table(1, 1, 10_001)]],
    ['two tables', 'invalid_attachments', [table(1, 1), table(1, 1)]],
    ['a task card without a title', 'invalid_blocks', [task({ title: '' })]],
    ['a task card with plain details', 'invalid_blocks', [task({ details: 'a' })]],
    ['rich text without parts', 'invalid_blocks', [{ type: 'rich_text', elements: [] }]],
  ])('%s', (_what, code, blocks) => {
    expect(() => checkBlocks(blocks)).toThrow(code);
  });

  test.each<[string, Json[]]>([
    ['more than 12,000 characters of Markdown', [markdown(6_001), markdown(6_000)]],
    ['Markdown and sections of more than 13,200 characters', [markdown(12_000), section(1_201)]],
    ['fields of more than 13,200 characters', many(7, { type: 'section', fields: [text(1_900)] })],
    ['more than 11,300 characters with rich text', [markdown(11_300), rich('x')]],
    [
      'more than 11,300 characters with the details of a step',
      [markdown(11_290), task({ details: rich('x'.repeat(11)) })],
    ],
  ])('a message with %s', (_what, blocks) => {
    expect(() => checkMessageBlocks(blocks)).toThrow('msg_blocks_too_long');
  });

  test.each<[string, Json[]]>([
    ['12,000 characters of Markdown', [markdown(6_000), markdown(6_000)]],
    ['Markdown and sections of 13,200 characters', [markdown(12_000), section(1_200)]],
    ['11,300 characters with rich text', [markdown(11_299), rich('x')]],
    ['a menu beside its text', [markdown(12_000), { ...section(1_200), accessory: menu }]],
  ])('but not a message with %s', (_what, blocks) => {
    expect(() => checkMessageBlocks(blocks)).not.toThrow();
  });

  test('all chunks of a stream together', () => {
    const { workspace, call, channel, recipient } = setUp();
    const thread_ts = workspace.say(recipient.recipient_user_id, '@parley hi');
    const ts = words(call('chat.startStream', { channel, thread_ts, ...recipient })['ts']);
    const append = (...blocks: Json[]) =>
      call('chat.appendStream', { channel, ts, chunks: [{ type: 'blocks', blocks }] });
    expect(append(...many(49, { type: 'divider' }), table(1, 1))).toMatchObject({ ok: true });
    expect(append({ type: 'divider' })).toMatchObject({ error: 'msg_blocks_too_many' });
    expect(call('chat.stopStream', { channel, ts, blocks: [{ type: 'divider' }] })).toMatchObject({
      error: 'msg_blocks_too_many',
    });
    const second = words(call('chat.startStream', { channel, thread_ts, ...recipient })['ts']);
    const stop = (blocks: Json[]) => call('chat.stopStream', { channel, ts: second, blocks });
    expect(stop([table(1, 1), table(1, 1)])).toMatchObject({
      error: 'invalid_attachments',
      response_metadata: { messages: ['[ERROR] only_one_table_allowed'] },
    });
    expect(stop([table(1, 1)])).toMatchObject({ ok: true });
  });
});
