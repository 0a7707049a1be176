import { describe, expect, test } from '@jest/globals';
import { hear, isOver, type JobState, mayMove, STATES } from '../../shared/jobs/index.ts';

/** All moves there are: from, to. */
const MOVES: Readonly<Record<JobState, readonly JobState[]>> = {
  proposed: ['cancelled', 'requested'],
  requested: ['submitted', 'failed', 'cancelled', 'expired'],
  submitted: ['queued', 'running', 'delivering', 'failed', 'cancelled', 'expired'],
  queued: ['running', 'delivering', 'failed', 'cancelled', 'expired'],
  running: ['delivering', 'failed', 'cancelled', 'expired'],
  delivering: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  cancelled: [],
  expired: [],
};
const PAIRS = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));
const SAID = ['queued', 'running', 'done', 'failed', 'cancelled', 'unknown'] as const;

const rank = (state: JobState): number => STATES.indexOf(state);

describe('the states of a job', () => {
  test.each(PAIRS)('%s -> %s', (from, to) => {
    expect(mayMove(from, to)).toBe(MOVES[from].includes(to));
  });

  test('nothing is ever gone back to, and every state leads to an end', () => {
    const back = PAIRS.filter(([from, to]) => mayMove(from, to) && rank(to) <= rank(from));
    expect(back).toEqual([]);
    const endless = STATES.filter(
      (state) => !isOver(state) && !STATES.some((to) => isOver(to) && mayMove(state, to)),
    );
    expect(endless).toEqual([]);
    expect(STATES.filter(isOver)).toEqual(['delivered', 'failed', 'cancelled', 'expired']);
  });
});

describe('what a look at the service comes to', () => {
  test('whatever it says, only legal moves follow', () => {
    const illegal = STATES.flatMap((at) =>
      SAID.map((state) => ({
        at,
        state,
        heard: hear(at, undefined, { state, status: state, queuePosition: 3 }),
      })),
    ).filter(({ at, heard }) => {
      if (heard.kind === 'same') return false;
      const to = heard.kind === 'done' ? 'delivering' : heard.to;
      return isOver(at) || !(mayMove(at, to) || (at === 'queued' && to === 'queued'));
    });
    expect(illegal).toEqual([]);
  });

  test('a new place in line is told, the same one is not', () => {
    const said = { state: 'queued', status: 'IN_QUEUE' } as const;
    expect(hear('submitted', undefined, { ...said, queuePosition: 3 })).toEqual({
      kind: 'move',
      to: 'queued',
      place: 3,
    });
    expect(hear('queued', 3, { ...said, queuePosition: 2 })).toEqual({
      kind: 'move',
      to: 'queued',
      place: 2,
    });
    expect(hear('queued', 2, { ...said, queuePosition: 2 })).toEqual({ kind: 'same' });
    expect(hear('running', undefined, { ...said, queuePosition: 1 })).toEqual({ kind: 'same' });
  });

  test('a word that nobody knows counts as pending, and is handed on to be reported', () => {
    expect(hear('running', undefined, { state: 'unknown', status: 'DREAMING' })).toEqual({
      kind: 'same',
      unknown: 'DREAMING',
    });
  });

  test('what is being delivered is not failed or cancelled by a late word', () => {
    for (const state of SAID)
      expect(hear('delivering', undefined, { state, status: '' }).kind).not.toBe('done');
    expect(hear('delivering', undefined, { state: 'cancelled', status: '' })).toEqual({ kind: 'same' });
  });
});
