import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  answerBytes,
  jsonBytes,
  MAX_TURN_BYTES,
  messageId,
  startWithin,
  storedQuestion,
  type Turn,
} from '../../../shared/domain/index.ts';
import { pack } from '../../../shared/storage/dynamodb/turn-compression.ts';

const anyText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', 'é', '語', '🎈', '\uD800', '\uFFFF'),
  maxLength: 400,
});

test('a text is never longer as JSON than it is counted', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(Buffer.byteLength(JSON.stringify(text)) - 2).toBeLessThanOrEqual(jsonBytes(text));
    }),
  );
});

test('the start of a text has at most so many bytes, and is as long as that allows', () => {
  fc.assert(
    fc.property(anyText, fc.nat(500), (text, max) => {
      const whole = text.toWellFormed();
      const start = startWithin(whole, max);
      expect(whole.startsWith(start)).toBe(true);
      expect(start.isWellFormed()).toBe(true);
      expect(jsonBytes(start)).toBeLessThanOrEqual(max);
      expect(start === whole || jsonBytes(start) > max - 12).toBe(true);
    }),
  );
});

test('a turn whose answer keeps to its room can be stored, whatever it says', () => {
  const long = fc
    .tuple(anyText, fc.nat(2_000))
    .map(([text, times]) => (text === '' ? 'x' : text).repeat(times));
  fc.assert(
    fc.property(
      long,
      long,
      fc.array(anyText, { maxLength: 5 }),
      anyText,
      (question, answer, others, said) => {
        const contextLines = [{ author: 'ada', text: said, at: 0 }];
        const folded = others.map((one) => ({ message: messageId('1.1'), question: one }));
        const text = startWithin(answer, answerBytes({ question, folded, contextLines }));
        const ending: Turn['ending'] = { kind: 'answered', text, finish: 'at-limit', model: 'maker/model' };
        const turn = { question: storedQuestion(question), folded, contextLines, ending };
        expect(pack(turn).byteLength).toBeLessThan(MAX_TURN_BYTES + 1_000);
      },
    ),
    { numRuns: 60 },
  );
});
