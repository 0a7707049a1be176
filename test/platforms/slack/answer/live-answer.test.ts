import { expect, test } from '@jest/globals';
import { messageId } from '../../../../shared/domain/index.ts';
import type { Step } from '../../../../shared/platforms/ports/platform.ts';
import { inCharacters } from '../../../../shared/platforms/markdown/text-size.ts';
import {
  newLiveAnswer,
  type AnswerPart,
  stepsOf,
} from '../../../../shared/platforms/slack/answer/live-answer.ts';

const step = (id: string): Step => ({ id, title: id, state: 'running' });
const steps = ['read', 'search', 'think'].map(step);
const none = () => Promise.resolve([]);
const look = { limit: inCharacters(12_000), find: none, findLoose: none };
const answer = newLiveAnswer(['1.1', '1.2', '1.3'].map(messageId), look);

function part(index: number, more: Partial<AnswerPart> = {}): AnswerPart {
  const one = answer.parts[index];
  if (!one) throw new Error('there is no such part');
  return Object.assign(one, more);
}

test('each message shows the steps of its own task cards, and the first all that no other shows', () => {
  part(1, { native: true, cards: new Map([['search', step('search')]]) });
  const shown = [0, 1, 2].map((index) => stepsOf(part(index), answer, steps).map(({ id }) => id));
  expect(shown).toEqual([['read', 'think'], ['search'], []]);
  part(2, { native: true, cards: new Map([['read', step('read')]]) });
  expect(stepsOf(part(0), answer, steps).map(({ id }) => id)).toEqual(['think']);
});
