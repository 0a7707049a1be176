import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  type CardAction,
  serializeAction,
  type Card,
  type CardPart,
  type CardControl,
  type Modal,
  type ModalField,
  type CardOption,
  userId,
} from '../../../shared/domain/index.ts';
import { renderCard } from '../../../shared/platforms/discord/blocks/card-components.ts';
import { cardFaults, formFaults } from './faults.ts';

const words = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: maxLength }),
    fc.string({ unit: 'binary', maxLength: maxLength }),
    fc.constantFrom(
      '',
      ' ',
      '\n',
      '…',
      '長'.repeat(maxLength),
      'W'.repeat(maxLength),
      '👩‍👩‍👧‍👦'.repeat(maxLength / 11),
    ),
  );
const action: fc.Arbitrary<CardAction> = fc
  .record({
    name: fc.constantFrom('area.deed', 'area.other-form'),
    args: fc.array(words(40), { maxLength: 3 }),
  })
  .filter(({ name, args }) => {
    try {
      return serializeAction({ name, args }).length > 0;
    } catch {
      return false;
    }
  });
const option: fc.Arbitrary<CardOption> = fc.record({
  label: words(200),
  value: words(120),
  hint: fc.option(words(200), { nil: undefined }),
});
const options = fc.array(option, { maxLength: 40 });
const control: fc.Arbitrary<CardControl> = fc.oneof(
  fc.record({ kind: fc.constant('button' as const), label: words(120), action }),
  fc.record({ kind: fc.constant('choice' as const), label: words(200), action, options }),
);
const part: fc.Arbitrary<CardPart> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), markdown: words(5_000) }),
  fc.record({ kind: fc.constant('note' as const), markdown: words(5_000) }),
  fc.record({
    kind: fc.constant('fields' as const),
    fields: fc.array(fc.record({ name: words(100), value: words(600) }), { maxLength: 30 }),
  }),
  fc.record({
    kind: fc.constant('image' as const),
    url: fc.oneof(fc.webUrl(), fc.constant(`https://a.example/${'b'.repeat(2_048)}`)),
    alt: words(1_500),
  }),
  fc.record({ kind: fc.constant('divider' as const) }),
  fc.record({ kind: fc.constant('controls' as const), controls: fc.array(control, { maxLength: 30 }) }),
);
const card: fc.Arbitrary<Card> = fc.record({
  title: fc.option(words(5_000), { nil: undefined }),
  by: fc.option(fc.constant(userId('41')), { nil: undefined }),
  tone: fc.constantFrom(undefined, 'working', 'good', 'bad'),
  parts: fc.array(part, { maxLength: 12 }),
});
const field: fc.Arbitrary<ModalField> = fc
  .tuple(
    fc.record({
      label: words(100),
      hint: fc.option(words(300), { nil: undefined }),
      optional: fc.option(fc.boolean(), { nil: undefined }),
    }),
    fc.oneof(
      fc.record({
        kind: fc.constantFrom('line' as const, 'paragraph' as const),
        value: fc.option(words(6_000), { nil: undefined }),
        most: fc.integer({ min: 1, max: 10_000 }),
      }),
      fc.record({ kind: fc.constant('choice' as const), options, value: words(20) }),
    ),
  )
  .map(([common, kind]) => ({ id: '', ...common, ...kind }));
/** A modal without inputs is invalid. */
const LINE: ModalField = { id: '', label: 'Name', kind: 'line', most: 40 };
const form: fc.Arbitrary<Modal> = fc.record({
  title: words(100),
  submit: words(40),
  action,
  fields: fc
    .array(field, { maxLength: 8 })
    .map((fields) => [LINE, ...fields].map((one, nth) => ({ ...one, id: `field-${nth}` }))),
});

test('a card mentions its sender, and pings nobody', () => {
  const parts = [{ kind: 'text', markdown: 'Hello <@42>' }] as const;
  const drawn = JSON.stringify(renderCard({ by: userId('41'), title: 'To <@43>', parts }));
  expect(drawn).toContain('<@41>');
  expect(drawn).not.toMatch(/<@4[23]>/u);
});

describe('Discord accepts', () => {
  test('a relative timestamp, which its clients keep up to date', () => {
    const fields = [{ name: 'So far', value: '42 s', at: 1_700_000_000_900 }];
    expect(JSON.stringify(renderCard({ parts: [{ kind: 'fields', fields }] }))).toContain(
      '**So far** 42 s (<t:1700000000:R>)',
    );
  });

  const runs = { numRuns: Number(process.env['PARLEY_RUNS'] ?? 50) };
  test('every card, however long, wide and full of controls', () => {
    fc.assert(
      fc.property(card, (one) => {
        expect(cardFaults(one)).toEqual([]);
      }),
      runs,
    );
  });

  test('every modal', () => {
    fc.assert(
      fc.property(form, (one) => {
        expect(formFaults(one)).toEqual([]);
      }),
      runs,
    );
  });
});

/** A card with a picture whose address has that length, as Discord gets it. */
function drawPicture(length: number): string {
  const url = 'https://a.example/'.padEnd(length, 'b');
  return JSON.stringify(renderCard({ title: 'Video', parts: [{ kind: 'image', url, alt: 'A' }] }));
}

test('a picture whose address is too long for Discord is left out, the rest of its card is shown', () => {
  expect(drawPicture(2_048)).toContain('https://a.example');
  expect(drawPicture(2_049)).not.toContain('https://a.example');
  expect(drawPicture(2_049)).toContain('Video');
});

test('a select menu with a chosen option keeps its label', () => {
  const choice = {
    kind: 'choice' as const,
    label: 'Effort',
    action: { name: 'settings.set', args: [] },
    options: ['low', 'high'].map((value) => ({ label: value, value })),
    chosen: 'high',
  };
  const drawn = JSON.stringify(renderCard({ parts: [{ kind: 'controls', controls: [choice] }] }));
  expect(drawn).toContain('"label":"Effort: high","value":"high","default":true');
  expect(drawn).toContain('"label":"low"');
});
