import { describe, expect, test } from '@jest/globals';
import type { AnswerActions } from '../../../shared/platforms/ports/index.ts';
import { openFakeSlack, turn } from './fake-slack.ts';

const under: AnswerActions = {
  buttons: [
    { label: 'Regenerate', action: { kind: 'regenerate' } },
    { label: 'Good', action: { kind: 'feedback', good: true } },
    { label: 'Bad', action: { kind: 'feedback', good: false } },
  ],
  steps: [],
};

test('cited sources are links with their host above the footer; strangers cannot break out of them', async () => {
  const { slack, platform, time } = openFakeSlack();
  const sources = [
    { number: 2, title: 'Sky & <sea> *bold* @channel', url: 'https://example.com/a?b=1&c=|' },
    { number: 4, title: 'https://bank.example', url: 'https://evil.example/' },
    { number: 5, title: '[]', url: 'https://plain.example/' },
  ];
  await time.until(platform.reply(turn, []).publish('Yes [2].', { ...under, footer: 'small', sources }));
  expect(slack.calls[0]?.args).toMatchObject({
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'markdown' },
      {
        type: 'context',
        elements: [
          {
            type: 'mrkdwn',
            verbatim: true,
            text: [
              '[2] <https://example.com/a?b=1&amp;c=%7C|Sky &amp; sea bold ＠channel> · example.com',
              '[4] <https://evil.example/|bank.example> · evil.example',
              '[5] <https://plain.example/|plain.example>',
            ].join('\n'),
          },
        ],
      },
      { type: 'context', elements: [{ text: 'small' }] },
      { type: 'actions' },
      { type: 'context_actions' },
    ],
  });
});

describe('the footer', () => {
  const footer = 'glyph-7 · 1,200 tokens · $0.01 <!channel>';
  const small = { type: 'context', elements: [{ type: 'plain_text', text: footer.replace('<!', '< !') }] };

  test('is below the text of a post and of a stream, above the buttons', async () => {
    const { slack, platform, time } = openFakeSlack();
    await time.until(platform.reply(turn, []).publish('Yes.', { ...under, footer }));
    const expected = [small, { type: 'actions' }, { type: 'context_actions' }];
    expect(slack.calls[0]?.args['blocks']).toMatchObject([{ type: 'markdown' }, ...expected]);
    const reply = platform.reply(turn, []);
    reply.write('Yes.');
    await time.until(reply.posted());
    await time.until(reply.publish('Yes.', { ...under, footer }));
    expect(slack.calls.at(-1)).toMatchObject({ method: 'chat.stopStream', args: { blocks: expected } });
  });

  test('is below the last of several messages, and alone where there are no buttons', async () => {
    const { slack, platform, time } = openFakeSlack(undefined, 400);
    await time.until(
      platform.reply(turn, []).publish('word '.repeat(200), { buttons: [], steps: [], footer }),
    );
    const holding = slack.calls.filter(({ args }) => JSON.stringify(args).includes('glyph-7'));
    expect(slack.messages.length).toBeGreaterThan(1);
    expect(holding).toHaveLength(1);
    expect(holding[0]).toBe(slack.calls.at(-1));
  });
});
