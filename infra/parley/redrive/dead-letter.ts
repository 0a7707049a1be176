import { parseTask, parseTranscriptionTask } from '../../../shared/domain/index.ts';
import { type LogRecord, numberFact, textFact } from '../../dashboard/index.ts';
import type { QueuedMessage } from '../operator/queues.ts';

/** Work that was given up, and can be put back. */
export type DeadLetter = {
  /** The id of the message on the queue, or of the question that failed. */
  readonly id: string;
  /** `dead letter`: it is on the dead-letter queue. `failed question`: people saw an error in place of an answer. */
  readonly source: 'dead letter' | 'failed question';
  readonly kind: string;
  readonly thread: string;
  /** ms since 1970. */
  readonly at: number;
  readonly reason: string;
  readonly trace: string | undefined;
};

/** Returns what a message of the dead-letter queue is. Its content is not part of it. */
export function toDeadLetter(message: QueuedMessage, records: readonly LogRecord[]): DeadLetter {
  const { id, group, body, sentAt } = message;
  const kind = parseTranscriptionTask(body)?.kind ?? parseTask(body)?.kind ?? 'unreadable';
  const trace = parseTrace(message);
  return {
    id,
    source: 'dead letter',
    kind,
    thread: group,
    at: sentAt,
    reason: findReason(records, trace),
    trace,
  };
}

/** The id in an X-Ray header. */
export const parseTrace = ({ trace }: Pick<QueuedMessage, 'trace'>): string | undefined =>
  /Root=([^;]*)/u.exec(trace ?? '')?.[1];

/** Returns why a task was given up, by the last lines of its trace that say so. */
function findReason(records: readonly LogRecord[], trace: string | undefined): string {
  const own = records.filter((record) => trace !== undefined && record.trace === trace);
  const failed = own.findLast(({ event }) => event === 'task.failed');
  const givenUp = own.findLast(({ event }) => event === 'task.given-up');
  const parts = [
    failed && [textFact(failed, 'error'), textFact(failed, 'code')].filter(Boolean).join(' '),
    givenUp && `${numberFact(givenUp, 'failures') ?? 0} failures`,
    givenUp && (numberFact(givenUp, 'crashes') ?? 0) > 0 && `${numberFact(givenUp, 'crashes')} crashes`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'not in the logs';
}

/** Whether the letter is one of the chosen ones: by its id, or the start of it. */
export const isChosen = ({ id }: Pick<DeadLetter, 'id'>, chosen: readonly string[]): boolean =>
  chosen.some((start) => id === start || (start.length >= 8 && id.startsWith(start)));

/** Returns the ids that are none of the letters. */
export const findUnknown = (
  letters: readonly Pick<DeadLetter, 'id'>[],
  chosen: readonly string[],
): string[] => chosen.filter((id) => !letters.some((letter) => isChosen(letter, [id])));
