import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import * as v from 'valibot';
import { jsonObject } from '../../../simulators/json-schema.ts';
import { type Card, type CardPart, type CardControl, userId } from '../../../../shared/domain/index.ts';
import { renderCard } from '../../../../shared/platforms/slack/blocks/card-blocks.ts';
import { checkBlocks, checkMessageBlocks } from '../../../simulators/slack/blocks.ts';

const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('', ' ', '値'.repeat(3_100), '&<>'.repeat(1_100), '<!channel> **b** [x](https://e.com)'),
);
const action = fc.constant({ name: 'settings.set', args: ['model', 'channel'] });
const option = fc.record({ label: words, value: words, hint: fc.option(words, { nil: undefined }) });
const control: fc.Arbitrary<CardControl> = fc.oneof(
  fc.record({
    kind: fc.constant('button' as const),
    label: words,
    action,
    style: fc.constantFrom('primary', 'danger', undefined),
    confirm: fc.option(words, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('choice' as const),
    label: words,
    action,
    options: fc.array(option, { maxLength: 102 }),
    chosen: words,
  }),
);
const part: fc.Arbitrary<CardPart> = fc.oneof(
  fc.record({ kind: fc.constantFrom('text' as const, 'note' as const), markdown: words }),
  fc.record({
    kind: fc.constant('fields' as const),
    fields: fc.array(fc.record({ name: words, value: words }), { maxLength: 25 }),
  }),
  fc.record({ kind: fc.constant('image' as const), url: fc.webUrl(), alt: words }),
  fc.constant({ kind: 'divider' as const }),
  fc.record({ kind: fc.constant('controls' as const), controls: fc.array(control, { maxLength: 27 }) }),
);
const card: fc.Arbitrary<Card> = fc.record({
  title: fc.option(words, { nil: undefined }),
  tone: fc.constantFrom('working', 'good', 'bad', undefined),
  by: fc.constantFrom(undefined, userId('U1')),
  parts: fc.array(part, { maxLength: 12 }),
});

describe('a card in Slack', () => {
  test('is within the limits of Slack, whatever it contains', () => {
    fc.assert(
      fc.property(card, fc.constantFrom('message' as const, 'home' as const), (cardToRender, place) => {
        const { blocks, text } = renderCard(cardToRender, place);
        const json = v.parse(v.array(jsonObject), blocks);
        if (place === 'message') checkMessageBlocks(json);
        else checkBlocks(json.slice(0, 50));
        expect(blocks.length).toBeLessThanOrEqual(place === 'home' ? 100 : 50);
        expect(text.length).toBeLessThanOrEqual(2_000);
        const types = new Set(blocks.map(({ type }) => type));
        expect(place === 'home' && types.has('markdown')).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('pings nobody, and truncates long text with an ellipsis', () => {
    const markdown = `<!channel> hi ${'x'.repeat(13_000)}`;
    const { blocks } = renderCard({ title: 'T'.repeat(200), parts: [{ kind: 'text', markdown }] });
    const content = JSON.stringify(blocks);
    expect(content).not.toContain('<!channel>');
    const [, body] = blocks;
    expect(body?.type === 'markdown' && body.text).toHaveLength(10_850);
    expect(content.match(/…/gu)).toHaveLength(2);
  });

  test('with much text has as much Markdown as its other blocks leave room for, and stays within what Slack accepts', () => {
    const fields = Array.from({ length: 10 }, (_, n) => ({ name: `Name ${n}`, value: 'v'.repeat(480) }));
    const { blocks } = renderCard({
      title: 'T'.repeat(140),
      parts: [
        { kind: 'text', markdown: 'x'.repeat(12_000) },
        { kind: 'note', markdown: 'n'.repeat(1_900) },
        { kind: 'fields', fields },
        { kind: 'controls', controls: [{ kind: 'button', label: 'Run', action: { name: 'a', args: [] } }] },
      ],
    });
    checkMessageBlocks(v.parse(v.array(jsonObject), blocks));
    expect(blocks.map(({ type }) => type)).toEqual(['header', 'markdown', 'context', 'section', 'actions']);
    const [, body] = blocks;
    expect(body?.type === 'markdown' && body.text.length).toBeGreaterThan(4_000);
    expect(body?.type === 'markdown' && body.text.endsWith('…')).toBe(true);
  });

  test('with fields for which a message has no room leaves the last of them out, and keeps its buttons', () => {
    const fields = Array.from({ length: 40 }, (_, n) => ({ name: `Name ${n}`, value: 'v'.repeat(480) }));
    const { blocks } = renderCard({
      parts: [
        { kind: 'fields', fields },
        { kind: 'controls', controls: [{ kind: 'button', label: 'Run', action: { name: 'a', args: [] } }] },
      ],
    });
    checkMessageBlocks(v.parse(v.array(jsonObject), blocks));
    expect(blocks.map(({ type }) => type)).toEqual(['section', 'section', 'actions', 'context']);
  });

  test('shows the time of a fact in the reader’s time zone, and in UTC where clients have no dates', () => {
    const at = Date.parse('2026-01-01T14:03:47.900Z');
    const { blocks } = renderCard({
      parts: [{ kind: 'fields', fields: [{ name: 'So far', value: '42 s', at }] }],
    });
    const text = `*So far*\n42 s (<!date^${Math.floor(at / 1_000)}^{time_secs}|14:03:47 UTC>)`;
    expect(blocks).toEqual([{ type: 'section', fields: [{ type: 'mrkdwn', text }] }]);
  });

  test('in App Home has mrkdwn text', () => {
    const markdown = '## Model\n**bold** & [docs](https://e.com/a) `a<b`\n- one';
    const { blocks } = renderCard({ parts: [{ kind: 'text', markdown }] }, 'home');
    const text = '*Model*\n*bold* &amp; <https://e.com/a|docs> (e.com) `a&lt;b`\n• one';
    expect(blocks).toEqual([{ type: 'section', text: { type: 'mrkdwn', text } }]);
  });

  test.each([
    ['Run `npm test` - it takes long', 'Run `npm test` - it takes long'],
    ['**Use `x` here**, `**y**`', '*Use `x` here*, `**y**`'],
    ['## Use `x`\n- a `b` - c', '*Use `x`*\n• a `b` - c'],
    ['- a\n```\n- **b**\n```\n- c', '• a\n```\n- **b**\n```\n• c'],
    [
      '[Mercury](https://en.example/Mercury_(planet)) [a](https://e.example "t") [b](<https://e.example/x y|z>)',
      '<https://en.example/Mercury_(planet)|Mercury> (en.example) <https://e.example|a> (e.example) <https://e.example/x%20y%7Cz|b> (e.example)',
    ],
    ['[^1]: note\nf[x](a b) 1\\. a\\!', '[^1]: note\nf[x](a b) 1. a!'],
    [
      'snake\\_case \\_x\\_ 2 \\* 3 \\> \\& \\[x](https://e.example)',
      'snake_case \\_x\\_ 2 * 3 \\&gt; &amp; [x](https://e.example) (e.example)',
    ],
    ['## **Title** of `x`\n**`code`** `a\\!b`', '*Title of `x`*\n*`code`* `a\\!b`'],
    ['```js\nlet a = b[c](d) && e;\n```', '```\nlet a = b[c](d) &amp;&amp; e;\n```'],
    ['```\njs\n```', '```\njs\n```'],
  ])('in App Home has %j as %j', (markdown, text) => {
    const { blocks } = renderCard({ parts: [{ kind: 'text', markdown }] }, 'home');
    expect(blocks).toEqual([{ type: 'section', text: { type: 'mrkdwn', text } }]);
  });

  test('shows its buttons and select menus', () => {
    const set = { name: 'settings.set', args: ['footer'] };
    const { blocks } = renderCard({
      parts: [
        {
          kind: 'controls',
          controls: [
            { kind: 'button', label: 'Save', action: set, style: 'primary', confirm: 'Sure?' },
            {
              kind: 'choice',
              label: 'Model',
              action: set,
              options: [{ label: 'A', value: 'a' }],
              chosen: 'a',
            },
          ],
        },
      ],
    });
    expect(blocks).toMatchObject([
      {
        type: 'actions',
        elements: [{ action_id: 'card:0-0', value: 'settings.set|footer', style: 'primary' }],
      },
      {
        type: 'section',
        accessory: { action_id: 'card:0-1:settings.set|footer', initial_option: { value: 'a' } },
      },
    ]);
  });
});

test('labels, which have no Markdown in Slack, are shown as written and ping nobody', () => {
  const label = '`a|b` ![x](https://e.com) <!channel>';
  const parts = [
    { kind: 'controls', controls: [{ kind: 'button', label, action: { name: 'a', args: [] } }] },
  ] as const;
  expect(renderCard({ parts }).blocks).toMatchObject([
    { elements: [{ text: { type: 'plain_text', text: '`a|b` ![x](https://e.com) < !channel>' } }] },
  ]);
});

test('people whom the bot names are shown by name; other mentions in the text are not', () => {
  const markdown = 'Saved by <@U1>, not <@U2>; <!channel>';
  const parts = (['text', 'note'] as const).map((kind) => ({ kind, markdown, people: ['U1'] }));
  const drawn = JSON.stringify(renderCard({ parts }).blocks);
  expect(drawn.split('<@U1>')).toHaveLength(3);
  expect(drawn).not.toContain('<@U2>');
  expect(drawn).not.toContain('<!channel>');
  checkBlocks(v.parse(v.array(jsonObject), renderCard({ parts }).blocks));
});
