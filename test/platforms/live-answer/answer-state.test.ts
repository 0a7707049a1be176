import { expect, test } from '@jest/globals';
import { messageId } from '../../../shared/domain/index.ts';
import {
  type AnswerMessage,
  createAnswerState,
  listVisibleSteps,
} from '../../../shared/platforms/live-answer/index.ts';
import type { Step } from '../../../shared/platforms/ports/index.ts';

const step = (id: string): Step => ({ id, title: id, state: 'running' });
const steps = ['read', 'search', 'think'].map(step);
const answer = createAnswerState(['1.1', '1.2', '1.3'].map(messageId));

function change(index: number, more: Partial<AnswerMessage> = {}): AnswerMessage {
  const message = answer.messages[index];
  if (!message) throw new Error('there is no such message');
  return Object.assign(message, more);
}

test('each message shows the steps of its own stream, and the first message also those of no stream', () => {
  change(1, { isNative: true, streamedSteps: new Map([['search', step('search')]]) });
  const stepIds = [0, 1, 2].map((index) =>
    listVisibleSteps(change(index), answer, steps).map(({ id }) => id),
  );
  expect(stepIds).toEqual([['read', 'think'], ['search'], []]);
  change(2, { isNative: true, streamedSteps: new Map([['read', step('read')]]) });
  expect(listVisibleSteps(change(0), answer, steps).map(({ id }) => id)).toEqual(['think']);
});
