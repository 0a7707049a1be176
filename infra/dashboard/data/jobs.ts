import type { FeedbackRow, JobRow } from './dashboard-data.ts';
import { type LogRecord, numberFact, textFact } from './log-record.ts';

const MAX_ROWS = 50;

/** Returns videos and pictures, transcriptions, exports and erasures since `fromMs`, the latest first. */
export function toJobRows(records: readonly LogRecord[], fromMs: number): JobRow[] {
  const jobs = new Map<string, JobRow>();
  for (const [index, record] of records.entries()) {
    if (record.at < fromMs) continue;
    const row = toJobRow(record, String(index));
    if (!row) continue;
    const known = jobs.get(row.id);
    jobs.set(row.id, known ? { ...row, startedAt: known.startedAt ?? row.startedAt } : row);
  }
  return [...jobs.values()].toSorted((a, b) => getTime(b) - getTime(a)).slice(0, MAX_ROWS);
}

const getTime = ({ startedAt, endedAt }: JobRow): number => endedAt ?? startedAt ?? 0;

function toJobRow(record: LogRecord, id: string): JobRow | undefined {
  const { at, event } = record;
  switch (event) {
    case 'video.job-requested': {
      const job = textFact(record, 'job') ?? id;
      return { id: job, kind: 'video or picture', state: 'running', startedAt: at, endedAt: undefined };
    }
    case 'video.job-ended': {
      const state = textFact(record, 'state') ?? 'ended';
      return {
        id: textFact(record, 'job') ?? id,
        kind: 'video or picture',
        state,
        startedAt: undefined,
        endedAt: at,
      };
    }
    case 'voice.transcription-completed': {
      const state = record.facts['partial'] === true ? 'partly done' : 'done';
      const startedAt = at - (numberFact(record, 'ms') ?? 0);
      return { id, kind: 'transcription', state, startedAt, endedAt: at };
    }
    case 'voice.transcription-failed':
      return { id, kind: 'transcription', state: 'failed', startedAt: undefined, endedAt: at };
    case 'export.file-sent':
      return { id, kind: 'export', state: 'file sent', startedAt: undefined, endedAt: at };
    case 'erasure.completed':
      return { id, kind: 'erasure', state: 'done', startedAt: undefined, endedAt: at };
    default:
      return undefined;
  }
}

/** Counts ratings by model since `fromMs`. */
export function toFeedbackRows(records: readonly LogRecord[], fromMs: number): FeedbackRow[] {
  const rows = new Map<string, FeedbackRow>();
  for (const record of records) {
    if (record.event !== 'feedback.given' || record.at < fromMs) continue;
    const model = textFact(record, 'model') ?? 'unknown';
    const { good, bad } = rows.get(model) ?? { good: 0, bad: 0 };
    const isGood = record.facts['kind'] === 'good';
    rows.set(model, { model, good: good + Number(isGood), bad: bad + Number(!isGood) });
  }
  return [...rows.values()].toSorted((a, b) => b.good + b.bad - a.good - a.bad);
}
