import { expect, test } from '@jest/globals';
import { workspaceId } from '../../../../shared/domain/index.ts';
import { readMessage } from '../../../../shared/platforms/slack/inbound/message.ts';
import {
  listMessageFiles,
  getDisplayedText,
} from '../../../../shared/platforms/slack/inbound/message-content.ts';

const richText = (...elements: object[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements }],
});
/** As in a report of a live workspace: vercel/chat#803. */
const TABLE = {
  id: 1,
  fallback: '[no preview available]',
  blocks: [
    {
      type: 'table',
      rows: [
        [
          { type: 'raw_text', text: 'Name' },
          richText({ type: 'text', text: 'Amount', style: { bold: true } }),
        ],
        [
          { type: 'raw_text', text: 'Item A' },
          { type: 'raw_number', value: 1200 },
        ],
      ],
    },
  ],
};
/** As in a report of a live workspace: NousResearch/hermes-agent#96384. */
const FORWARDED = {
  fallback: '[September 19th, 2026 12:29 AM] snow: check both\nlists',
  ts: '1789752548.042889',
  author_id: 'U02KNFZHAHG',
  author_subname: 'Snow',
  channel_id: 'C05RWRCTFDK',
  is_msg_unfurl: true,
  from_url: 'https://example.slack.com/archives/C05RWRCTFDK/p1789752548042889',
  text: 'check both\nlists',
  message_blocks: [{ message: { blocks: [richText({ type: 'text', text: 'check both lists' })] } }],
  files: [{ id: 'F1', name: 'image.png' }],
};
const ALERT = {
  bot_id: 'B1',
  text: '',
  attachments: [
    {
      color: 'danger',
      fallback: '[FIRING:1] Disk',
      title: '[FIRING:1] Disk',
      title_link: 'https://alerts.example/1',
      text: '*Disk usage* is 91%',
      fields: [{ title: 'host', value: 'web-1', short: true }],
    },
  ],
};

test.each([
  ['a text alone', { text: 'a &amp; b' }, 'a &amp; b'],
  ['nothing', { text: null, blocks: null, attachments: null }, ''],
  [
    'a table that a person pasted',
    { text: 'Sum?', attachments: [TABLE] },
    'Sum?\n\nName | Amount\nItem A | 1200',
  ],
  [
    'a forwarded message with a comment',
    { text: 'What is this?', attachments: [FORWARDED] },
    'What is this?\n\n> Snow:\n> check both\n> lists',
  ],
  [
    'a forwarded message whose words are in its blocks alone',
    { text: '', attachments: [{ ...FORWARDED, text: '', author_name: 'Snow White' }] },
    '> Snow White:\n> check both lists',
  ],
  [
    'an alert without a text',
    ALERT,
    '<https://alerts.example/1|[FIRING:1] Disk>\n*Disk usage* is 91%\nhost\nweb-1',
  ],
  [
    'an alert with nothing but a fallback',
    { bot_id: 'B1', attachments: [{ fallback: 'Build 7 failed' }] },
    'Build 7 failed',
  ],
  [
    'blocks of an app, of which the text is the summary',
    {
      bot_id: 'B1',
      text: 'New incident',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'New incident' } },
        { type: 'section', fields: [{ type: 'mrkdwn', text: '*Service*\nshop' }] },
        { type: 'context', elements: [{ type: 'mrkdwn', text: 'small print' }] },
        {
          type: 'actions',
          elements: [
            { type: 'button', text: { type: 'plain_text', text: 'Acknowledge' }, value: 'x' },
            { type: 'button', text: { type: 'plain_text', text: 'Open' }, url: 'https://a.example/7' },
          ],
        },
      ],
    },
    'New incident\n*Service*\nshop\n<https://a.example/7|Open>',
  ],
  [
    'blocks of an app that say no more than its text',
    {
      bot_id: 'B1',
      text: 'It is *done*.',
      blocks: [richText({ type: 'text', text: 'It is done.' })],
    },
    'It is *done*.',
  ],
  [
    'elements of a line',
    {
      bot_id: 'B1',
      text: '',
      blocks: [
        richText(
          { type: 'user', user_id: 'U1' },
          { type: 'text', text: ' says 1 < 2 ' },
          { type: 'emoji', name: 'wave' },
          { type: 'link', url: 'https://a.example' },
          { type: 'channel', channel_id: 'C1' },
        ),
      ],
    },
    '<@U1> says 1 &lt; 2 :wave:<https://a.example><#C1>',
  ],
  [
    'text that Slack does not encode, or only in part',
    {
      text: 'Sum?',
      attachments: [
        {
          blocks: [
            {
              type: 'table',
              rows: [
                [
                  { type: 'raw_text', text: 'Map<string> &lt;' },
                  richText({ type: 'text', text: '<https://a.example|b>' }),
                ],
              ],
            },
            { type: 'header', text: { type: 'plain_text', text: 'A &amp; B & <none>' } },
            { type: 'markdown', text: 'a < b' },
          ],
        },
      ],
    },
    'Sum?\n\nMap&lt;string&gt; &amp;lt; | &lt;https://a.example|b&gt;\nA &amp; B & &lt;none&gt;\na &lt; b',
  ],
  [
    'the preview of a page',
    {
      text: 'https://a.example',
      attachments: [{ from_url: 'https://a.example', title: 'A page', text: 'words of strangers' }],
    },
    'https://a.example',
  ],
])('what people see of %s', (_, message, words) => {
  expect(getDisplayedText(message)).toBe(words);
});

test('files of forwarded messages are files of the message, those of previews are not', () => {
  const preview = { from_url: 'https://a.example', files: [{ id: 'F3' }] };
  const files = listMessageFiles({ files: [{ id: 'F2' }], attachments: [FORWARDED, preview, TABLE] });
  expect(files).toMatchObject([{ id: 'F2' }, { id: 'F1', name: 'image.png' }]);
});

test('recordings of forwarded messages are left out, except those of the person who forwards them', () => {
  const clip = { id: 'F4', name: 'clip.m4a', title: 'A clip', mimetype: 'audio/mp4' };
  const picture = { id: 'F5', name: 'a.png', mimetype: 'image/png' };
  const forward = { ...FORWARDED, files: [clip, { id: 'F6', mode: 'file_access' }, picture] };
  const ids = (user: string | undefined, author_id?: string) =>
    listMessageFiles({ user, files: [{ ...clip, id: 'F7' }], attachments: [{ ...forward, author_id }] }).map(
      ({ id }) => id,
    );
  expect(ids('U0BEN', 'U0ADA')).toEqual(['F7', 'F5']);
  expect(ids('U0BEN')).toEqual(['F7', 'F5']);
  expect(ids(undefined)).toEqual(['F7', 'F5']);
  expect(ids('U0ADA', 'U0ADA')).toEqual(['F7', 'F4', 'F6', 'F5']);
  const wordless = { is_share: true, author_name: 'Ada', files: [clip] };
  const note = '> (A recording of theirs, or a file that may be one, is left out.)';
  expect(getDisplayedText({ text: '', attachments: [wordless] })).toBe(`> Ada:\n> A clip\n${note}`);
  expect(getDisplayedText({ user: 'U0BEN', text: 'Hear this', attachments: [forward] })).toBe(
    `Hear this\n\n> Snow:\n> check both\n> lists\n${note}`,
  );
  const unknown = { is_share: true, files: [{ id: 'F6', mode: 'file_access' }] };
  expect(getDisplayedText({ text: '', attachments: [unknown] })).toBe(note);
  const own = { user: 'U0ADA', text: '', attachments: [{ ...wordless, author_id: 'U0ADA' }] };
  expect(getDisplayedText(own)).toBe('> Ada:\n> A clip');
});

test.each([
  ['a reply', { text: 'Look!', thread_ts: '1.1' }, 'if-member'],
  ['a message without a mention', { text: 'Look!' }, 'none'],
  ['a mention', { text: '<@UBOT> what is this?' }, 'mention'],
])(
  '%s has the pictures of a message that it forwards, not the recordings of others',
  (_, more, addressed) => {
    const files = [{ id: 'F4', mimetype: 'audio/mp4' }, ...FORWARDED.files];
    const message = { user: 'U0BEN', ...more, attachments: [{ ...FORWARDED, files }] };
    const reader = {
      workspace: workspaceId('T1'),
      bot: 'UBOT',
      app: undefined,
      sender: undefined,
      teams: new Map(),
    };
    expect(readMessage(message, { channel: 'C1', isDirect: false, ts: '2.2' }, reader)).toMatchObject({
      addressed,
      attachments: [{ id: 'F1' }],
    });
  },
);

test('blocks within blocks without end are read to a depth', () => {
  let deep: object = { type: 'section', text: 'deep' };
  for (let n = 0; n < 5_000; n += 1) deep = { type: 'container', child_blocks: [deep] };
  expect(getDisplayedText({ text: '', blocks: [deep] })).toBe('');
});
