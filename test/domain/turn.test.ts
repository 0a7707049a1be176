import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  getMaxAnswerBytes,
  countJsonBytes,
  MAX_TURN_BYTES,
  messageId,
  truncateToJsonBytes,
  truncateQuestion,
  type Turn,
} from '../../shared/domain/index.ts';
import { compressTurn } from '../../shared/storage/dynamodb/turn-compression.ts';

const anyText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', 'é', '語', '🎈', '\uD800', '\uFFFF'),
  maxLength: 400,
});

test('countJsonBytes never counts less than the real size', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(Buffer.byteLength(JSON.stringify(text)) - 2).toBeLessThanOrEqual(countJsonBytes(text));
    }),
  );
});

test('truncateToJsonBytes returns the longest start within the limit', () => {
  fc.assert(
    fc.property(anyText, fc.nat(500), (text, max) => {
      const whole = text.toWellFormed();
      const start = truncateToJsonBytes(whole, max);
      expect(whole.startsWith(start)).toBe(true);
      expect(start.isWellFormed()).toBe(true);
      expect(countJsonBytes(start)).toBeLessThanOrEqual(max);
      expect(start === whole || countJsonBytes(start) > max - 12).toBe(true);
    }),
  );
});

test('a turn whose answer keeps to its maximum can be stored, whatever the text', () => {
  const long = fc
    .tuple(anyText, fc.nat(2_000))
    .map(([text, times]) => (text === '' ? 'x' : text).repeat(times));
  fc.assert(
    fc.property(
      long,
      long,
      fc.array(anyText, { maxLength: 5 }),
      anyText,
      (question, answer, others, contextText) => {
        const contextLines = [{ author: 'ada', text: contextText, at: 0 }];
        const mergedQuestions = others.map((one) => ({ message: messageId('1.1'), question: one }));
        const text = truncateToJsonBytes(
          answer,
          getMaxAnswerBytes({ question, mergedQuestions, contextLines }),
        );
        const outcome: Turn['outcome'] = { kind: 'answered', text, finish: 'at-limit', model: 'maker/model' };
        const turn = { question: truncateQuestion(question), mergedQuestions, contextLines, outcome };
        expect(compressTurn(turn).byteLength).toBeLessThan(MAX_TURN_BYTES + 1_000);
      },
    ),
    { numRuns: 60 },
  );
});
