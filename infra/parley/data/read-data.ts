import {
  type ExportEntry,
  type ExportedPage,
  Exports,
  Jobs,
  PersonIndex,
  Turns,
} from '../../../shared/storage/index.ts';
import { userId } from '../../../shared/domain/index.ts';
import { getOperation, getOwnPrompt, type Job } from '../../../shared/video/jobs/index.ts';
import type { OperatorTable } from '../operator/tables.ts';
import type { DataSubject } from './data-subject.ts';

export type DataSources = OperatorTable & {
  readonly now: () => number;
  /** Waits between the pages of a scan, for other users of the table. */
  readonly pause: (ms: number) => Promise<void>;
};

const MAX_JOBS = 1_000;

/** Yields the stored data page by page, as the bot exports it for people. Rejects with OperatorError. */
export async function* readData(
  subject: DataSubject,
  sources: DataSources,
): AsyncGenerator<readonly ExportEntry[]> {
  const { dynamo, scan, table, now, pause } = sources;
  const store = { dynamo, table, now, days: 30 };
  const { isComplete: isIndexComplete } = new PersonIndex(store);
  const exporter = new Exports({ ...store, scan, isIndexComplete });
  const jobs = new Jobs(store);
  const requester =
    subject.kind === 'thread'
      ? ((await new Turns(store).findThreadStarter(subject.thread)) ?? userId('none'))
      : undefined;
  const readPage = (cursor: string | undefined): Promise<ExportedPage> => {
    switch (subject.kind) {
      case 'person':
        return exporter.page(subject, cursor);
      case 'workspace':
        return exporter.workspacePage(subject, cursor);
      case 'thread':
        return exporter.threadPage(subject.thread, requester ?? userId('none'), cursor);
    }
  };
  if (subject.kind === 'person')
    yield (await jobs.listByPerson(subject, MAX_JOBS)).map((job) => toEntry(job, getOwnPrompt(job)));
  if (subject.kind === 'thread')
    yield (await jobs.listByThread(subject.thread)).map((job) => toEntry(job, job.prompt));
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    yield page.entries;
    cursor = page.next;
    if (cursor !== undefined && page.pauseMs !== undefined) await pause(page.pauseMs);
  } while (cursor !== undefined);
}

/** Videos are stored apart from threads. */
const toEntry = (job: Job, prompt: string | undefined): ExportEntry => ({
  in: 'videos',
  is: job.id,
  operation: getOperation(job),
  state: job.state,
  at: new Date(job.createdAt).toISOString(),
  prompt,
  model: job.model,
  price: job.price,
  picture: job.picture,
  thread: job.thread,
  by: job.by.user,
});

const KINDS: readonly (readonly [pattern: RegExp, title: string])[] = [
  [/^videos$/u, 'videos and pictures that were made'],
  [/^ACCOUNT#/u, 'accounts (numbers only)'],
  [/^SETTINGS#/u, 'settings, personas, drafts'],
  [/^FEEDBACK#/u, 'ratings'],
  [/^VOICE#/u, 'recordings and transcripts'],
  [/^OWNKEY#/u, 'own API keys'],
];

/** Returns the kind of an entry, for people. */
function describeKind(entry: ExportEntry): string {
  const place = String(entry['in']);
  const named = KINDS.find(([pattern]) => pattern.test(place))?.[1];
  if (named !== undefined) return named;
  const sort = String(entry['is']);
  if (sort.startsWith('TURN#')) return 'questions with their answers';
  return sort.startsWith('VOICE#') ? 'recordings and transcripts' : 'other items';
}

/** Counts the entries of each kind. */
export async function countData(
  subject: DataSubject,
  sources: DataSources,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const entries of readData(subject, sources))
    for (const entry of entries) counts.set(describeKind(entry), (counts.get(describeKind(entry)) ?? 0) + 1);
  return counts;
}
