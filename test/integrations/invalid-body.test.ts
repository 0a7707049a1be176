import { expect, test } from '@jest/globals';
import { apiHarness, readObject } from './api-harness.ts';

test.each([
  [{}, 'question is required.'],
  [{ question: 7 }, 'question has to be string.'],
  [{ qestion: 'What?' }, 'qestion is not a known field.'],
  [{ question: 'What?', wait: -1 }, 'wait is less than 0.'],
  [{ question: 'What?', model: '' }, 'model is empty.'],
  [{ question: 'What?', model: 'x'.repeat(257) }, 'model has more than 256 characters.'],
  ['7', 'The body has to be a JSON object.'],
])('a request that is not valid is told in words: %#', async (body, message) => {
  const at = await apiHarness();
  const { text } = await at.send({ body });
  expect(readObject(text)['error']).toMatchObject({ message });
});
