import { expect, test } from '@jest/globals';
import { answerActions } from '../../../shared/chat/display/answer-actions.ts';
import { recordFailedQuestion } from '../../../shared/chat/display/answer-metrics.ts';
import { TURN } from '../completion-harness.ts';

const ANSWER = { kind: 'answered', text: 'Blue.', finish: 'stop', model: 'model-a' } as const;
const SETTINGS = {
  otherModels: ['model-a', 'model-b', 'model-c', 'model-d'],
  layers: {},
};
const DISPLAY = {
  steps: [],
  settings: SETTINGS,
  locale: 'en',
  footer: undefined,
  hasCanvases: false,
} as const;
type Display = Parameters<typeof answerActions>[1];
const labels = (
  outcome: Parameters<typeof answerActions>[0] = ANSWER,
  settings: Display['settings'] = SETTINGS,
  locale: Display['locale'] = 'en',
) => answerActions(outcome, { ...DISPLAY, settings, locale }).buttons.map(({ label }) => label);

test('an answer has buttons for feedback, regenerating and two other models', () => {
  expect(labels(ANSWER)).toEqual([
    'Good answer',
    'Bad answer',
    'Regenerate',
    'Three versions',
    'Ask model-b',
    'Ask model-c',
  ]);
});

test.each(['length', 'context', 'stopped', 'interrupted'])(
  'an answer that ended early (%s) can be continued, a complete one cannot',
  (finish) => {
    const notice = '\n\n_That is all there is of it._';
    const early = { ...ANSWER, text: `Blue${notice}`, closing: notice.length, finish };
    expect(labels(early)).toContain('Continue');
    expect(labels(ANSWER)).not.toContain('Continue');
  },
);

test('an answer that was stopped before its first word can be regenerated, but not continued', () => {
  const notice = '_Stopped before the first word._';
  const nothing = { ...ANSWER, text: notice, closing: notice.length, finish: 'stopped' };
  expect(labels(nothing)).toContain('Regenerate');
  expect(labels(nothing)).not.toContain('Continue');
});

test('a locked model has no buttons for other models', () => {
  const layers = { workspace: { values: { model: 'model-a' }, locks: { model: { reason: 'paid' } } } };
  const buttons = ['Good answer', 'Bad answer', 'Regenerate', 'Three versions'];
  expect(labels(ANSWER, { ...SETTINGS, layers })).toEqual(buttons);
});

test('an answer in several versions has buttons for those that are not shown', () => {
  const versions = ['Blue.', 'Red.', 'Green.'];
  expect(labels({ ...ANSWER, versions })).toEqual(expect.arrayContaining(['Version 2', 'Version 3']));
  const buttons = labels({ ...ANSWER, text: 'Red.', versions, version: 2 });
  expect(buttons).toEqual(expect.arrayContaining(['Version 1', 'Version 3']));
  expect(buttons).not.toContain('Version 2');
  expect(buttons).not.toContain('Three versions');
});

test('a locked number of versions has no button for three', () => {
  const layers = { workspace: { values: { versions: 1 }, locks: { versions: { reason: 'cost' } } } };
  expect(labels(ANSWER, { ...SETTINGS, layers })).not.toContain('Three versions');
});

test('a failure has a button to regenerate; both keep their steps', () => {
  const steps = [{ id: 'tool-1-1', title: 'Searching', state: 'done' }] as const;
  const failed = { kind: 'failed', reason: 'server', text: '_No._' } as const;
  expect(labels(failed)).toEqual(['Regenerate']);
  expect(answerActions(failed, { ...DISPLAY, steps }).steps).toEqual(steps);
  expect(answerActions(ANSWER, { ...DISPLAY, steps }).steps).toEqual(steps);
});

test('the buttons are in the language of the asker', () => {
  expect(labels(ANSWER, SETTINGS, 'de').slice(0, 3)).toEqual([
    'Gute Antwort',
    'Schlechte Antwort',
    'Neu generieren',
  ]);
});

test('a question that got no answer is counted and logged with its ids, and without its words; a refused budget and a message without a question are neither', async () => {
  const [counted, logged]: [unknown[], unknown[]] = [[], []];
  const turn = { thread: TURN.thread, message: TURN.message };
  const context = {
    budgets: { countFailure: (question: unknown) => Promise.resolve(void counted.push(question)) },
    log: (event: string, facts?: object) => void logged.push([event, facts]),
  };
  await recordFailedQuestion(turn, { kind: 'failed', reason: 'over-budget', text: 'Too much.' }, context);
  await recordFailedQuestion(turn, { kind: 'failed', reason: 'greeting', text: 'Hi!' }, context);
  await recordFailedQuestion(turn, { kind: 'failed', reason: 'no-words', text: 'Nothing.' }, context);
  await recordFailedQuestion(turn, ANSWER, context);
  expect([counted, logged]).toEqual([[], []]);
  await recordFailedQuestion(turn, { kind: 'failed', reason: 'server', text: 'Sorry.' }, context);
  expect(counted).toHaveLength(1);
  const { platform, workspace, channel, root } = TURN.thread;
  const ids = { platform, workspace, channel, root, message: TURN.message };
  expect(logged).toEqual([['question.failed', { ...ids, reason: 'server' }]]);
});
