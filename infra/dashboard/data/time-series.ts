import { isFailureReason } from '../../../shared/domain/index.ts';
import type { TimeStep, Totals } from './dashboard-data.ts';
import { numberFact, textFact, type LogRecord } from './log-record.ts';
import { calculatePercentiles } from './percentile.ts';

export type TimeWindow = {
  /** The start of the first step (ms since 1970). */
  readonly fromMs: number;
  readonly stepMs: number;
  readonly steps: number;
};

/** The event with the metrics of an answer: see `shared/chat/display/answer-metrics.ts`. */
export const ANSWER_ENDED = 'answer.ended';

const MAX_STEPS = 60;
const SECOND_MS = 1_000;

/** Divides the last `rangeMs` into at most 60 steps of a multiple of `unitMs`. The last step contains `now`. */
export function toTimeWindow(now: number, rangeMs: number, unitMs = SECOND_MS): TimeWindow {
  const stepMs = Math.max(1, Math.ceil(rangeMs / MAX_STEPS / unitMs)) * unitMs;
  const steps = Math.ceil(rangeMs / stepMs);
  // Steps start at multiples of their length, so that a step keeps its values from one refresh to the next.
  const lastStart = Math.floor(now / stepMs) * stepMs;
  return { fromMs: lastStart - (steps - 1) * stepMs, stepMs, steps };
}

/** Returns one entry per step of the window, also for steps without records. */
export function toTimeSteps(records: readonly LogRecord[], window: TimeWindow): TimeStep[] {
  const groups: LogRecord[][] = Array.from({ length: window.steps }, () => []);
  for (const record of records) groups[Math.floor((record.at - window.fromMs) / window.stepMs)]?.push(record);
  return groups.map((group, index) => toTimeStep(group, window.fromMs + index * window.stepMs));
}

function toTimeStep(records: readonly LogRecord[], at: number): TimeStep {
  const answers = records.filter(isAnswer);
  return {
    at,
    answers: answers.length,
    failed: answers.filter(isFailed).length,
    firstWord: calculatePercentiles(listValues(answers, 'FirstWord')),
    total: calculatePercentiles(listValues(answers, 'AnswerTime')),
    queueWait: calculatePercentiles(listValues(answers, 'QueueWait')),
    requestWait: calculatePercentiles(listValues(answers, 'RequestWait')),
    promptTokens: sumValues(records, 'PromptTokens'),
    completionTokens: sumValues(records, 'CompletionTokens'),
    dollars: sumValues(records, 'Dollars'),
    limited: sumValues(records, 'RateLimited'),
    failedRequests: sumValues(records, 'FailedRequests'),
  };
}

/** Returns the sums and percentiles of all records since `fromMs`. `waiting`: questions without an answer. */
export function toTotals(records: readonly LogRecord[], fromMs: number, waiting: number): Totals {
  const recent = records.filter(({ at }) => at >= fromMs);
  const answers = recent.filter(isAnswer);
  return {
    answers: answers.length,
    failed: answers.filter(isFailed).length,
    waiting,
    firstWord: calculatePercentiles(listValues(answers, 'FirstWord')),
    total: calculatePercentiles(listValues(answers, 'AnswerTime')),
    tokens: sumValues(recent, 'PromptTokens') + sumValues(recent, 'CompletionTokens'),
    dollars: sumValues(recent, 'Dollars'),
  };
}

const hasFailedKind = ({ facts }: LogRecord): boolean => facts['kind'] === 'failed';

/** Whether a question failed. `record`: an `ANSWER_ENDED`. */
export const isFailed = (record: LogRecord): boolean =>
  hasFailedKind(record) && isFailureReason(textFact(record, 'reason'));

/** Whether the bot responded without asking a model: there was no question, or the budget is used up. `record`: an `ANSWER_ENDED`. */
export const isUnasked = (record: LogRecord): boolean => hasFailedKind(record) && !isFailed(record);

const isAnswer = (record: LogRecord): boolean => record.event === ANSWER_ENDED && !isUnasked(record);

const listValues = (records: readonly LogRecord[], name: string): number[] =>
  records.flatMap((record) => numberFact(record, name) ?? []);

const sumValues = (records: readonly LogRecord[], name: string): number =>
  listValues(records, name).reduce((sum, value) => sum + value, 0);
