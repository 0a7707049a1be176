import { describe, expect, test } from '@jest/globals';
import {
  applyReport,
  isTerminal,
  type JobState,
  canTransition,
  JOB_STATES,
} from '../../../shared/video/jobs/index.ts';

/** All transitions: from, to. */
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
const PAIRS = JOB_STATES.flatMap((from) => JOB_STATES.map((to) => [from, to] as const));
const SAID = ['queued', 'running', 'done', 'failed', 'cancelled', 'unknown'] as const;

const rank = (state: JobState): number => JOB_STATES.indexOf(state);

describe('the states of a job', () => {
  test.each(PAIRS)('%s -> %s', (from, to) => {
    expect(canTransition(from, to)).toBe(MOVES[from].includes(to));
  });

  test('no transition goes back, and every state leads to a terminal one', () => {
    const back = PAIRS.filter(([from, to]) => canTransition(from, to) && rank(to) <= rank(from));
    expect(back).toEqual([]);
    const endless = JOB_STATES.filter(
      (state) => !isTerminal(state) && !JOB_STATES.some((to) => isTerminal(to) && canTransition(state, to)),
    );
    expect(endless).toEqual([]);
    expect(JOB_STATES.filter(isTerminal)).toEqual(['delivered', 'failed', 'cancelled', 'expired']);
  });
});

describe('applying a status', () => {
  test('gives only allowed transitions', () => {
    const illegal = JOB_STATES.flatMap((at) =>
      SAID.map((state) => ({
        at,
        state,
        update: applyReport(at, undefined, { state, status: state, queuePosition: 3 }),
      })),
    ).filter(({ at, update }) => {
      if (update.kind === 'same') return false;
      const to = update.kind === 'done' ? 'delivering' : update.to;
      return isTerminal(at) || !(canTransition(at, to) || (at === 'queued' && to === 'queued'));
    });
    expect(illegal).toEqual([]);
  });

  test('reports a new queue position, not the same one', () => {
    const queued = { state: 'queued', status: 'IN_QUEUE' } as const;
    expect(applyReport('submitted', undefined, { ...queued, queuePosition: 3 })).toEqual({
      kind: 'move',
      to: 'queued',
      place: 3,
    });
    expect(applyReport('queued', 3, { ...queued, queuePosition: 2 })).toEqual({
      kind: 'move',
      to: 'queued',
      place: 2,
    });
    expect(applyReport('queued', 2, { ...queued, queuePosition: 2 })).toEqual({ kind: 'same' });
    expect(applyReport('running', undefined, { ...queued, queuePosition: 1 })).toEqual({ kind: 'same' });
  });

  test('treats an unknown status as pending and returns it', () => {
    expect(applyReport('running', undefined, { state: 'unknown', status: 'DREAMING' })).toEqual({
      kind: 'same',
      unknown: 'DREAMING',
    });
  });

  test('does not fail or cancel a job in delivery', () => {
    for (const state of SAID)
      expect(applyReport('delivering', undefined, { state, status: '' }).kind).not.toBe('done');
    expect(applyReport('delivering', undefined, { state: 'cancelled', status: '' })).toEqual({
      kind: 'same',
    });
  });
});
