import { streamsOnly } from '../fakes/streams-only.ts';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { COMMANDS } from '../../shared/commands/command-list.ts';
import { buildCommandForm } from '../../shared/commands/open-command-form.ts';
import { readTypedText } from '../../shared/platforms/slack/inbound/plain-text.ts';
import { spendingIn } from '../fakes/spending.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';
import { ADMIN } from './settings-harness.ts';

const NAMES = [
  ...COMMANDS.flatMap((one) => one.options.map(({ name }) => name)),
  'fro',
  'toString',
  '__proto__',
];
const VALUES = [
  ...COMMANDS.flatMap((one) =>
    one.options.flatMap((option) => (option.kind === 'text' ? (option.choices ?? []) : [])),
  ),
  'footer',
  'temperature',
  'denied',
  'favoured',
  'reset',
  'ja',
  'non',
  'オフ',
  '５',
  '٣',
  '0,5',
  '1e3',
  '$5/day',
  '-1',
  '<@U2|two words>',
  '<!subteam^S1|@sales>',
  '<#C1|>',
  '@here',
  '&lt;@U2&gt;',
  'U2*2',
  'pirate',
  '{"type":"object"}',
  '💥',
];
const value = fc.oneof(
  fc.constantFrom(...VALUES),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '"', '„', '」', '\u0000', '\u202E'),
);
const quotes = fc.constantFrom(
  ['', ''],
  ['"', '"'],
  ['“', '”'],
  ['„', '“'],
  ['«', '»'],
  ['「', '」'],
  ['"', ''],
  ['', '"'],
);
const option = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(':', '：', ': ', ' :', '::', '='), quotes, value)
  .map(([name, colon, [open, close], typedValue]) => `${name}${colon}${open}${typedValue}${close}`);
const text = fc
  .tuple(
    fc.constantFrom(...COMMANDS.map(({ name }) => name), 'Help', 'bogus', '"ask"'),
    fc.array(fc.oneof(option, value), { maxLength: 6 }),
    fc.constantFrom(' ', '  ', '\u3000', '\n', '\t'),
  )
  .map(([name, parts, blank]) => [name, ...parts].join(blank));

/** A workspace that somebody administers, in which nobody is known but U2. */
const workspace = () =>
  commandHarness({
    budgets: spendingIn(),
    directory: {
      find: async (_, { kinds: [as = 'person'], value: id }) =>
        id === 'U2' ? { kind: 'found', as, id } : { kind: 'not-found' },
    },
    chat: {
      ...streamsOnly,
      model: 'usual',
      async *stream() {
        yield endEvent('An answer.');
      },
      listModels: async () => [
        { id: 'usual', inputModalities: [], capabilities: [], ready: true, pricePerThousand: () => 1 },
      ],
    },
  });

test('each of 10,000 random inputs of Slack’s command gets one text response, a modal, or a public question', async () => {
  let at = workspace();
  let nth = 0;
  await fc.assert(
    fc.asyncProperty(text, async (oddText) => {
      nth += 1;
      if (nth % 500 === 0) at = workspace();
      const call = typedCommand(readTypedText(oddText));
      if (buildCommandForm(call, 'slack', 'en')) return;
      const [answers, cards] = [at.stage.answers.length, at.stage.cards.size];
      await at.call(fakeInteraction(call, { id: `odd-${nth}`, by: ADMIN }));
      const replies = at.stage.answers.slice(answers).map(({ card }) => card);
      const texts = replies.flatMap(({ title = '', parts }) => [
        title,
        ...parts.flatMap((part) => ('markdown' in part ? [part.markdown] : [])),
      ]);
      // An unknown command is told of, and then the help is shown.
      expect(replies.length + at.stage.cards.size - cards).toBeGreaterThan(0);
      expect(replies.length).toBeLessThanOrEqual(2);
      expect(texts.join('').trim() !== '').toBe(replies.length > 0);
    }),
    { numRuns: 10_000 },
  );
});
