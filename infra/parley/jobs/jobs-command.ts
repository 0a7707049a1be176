import type { Command } from 'commander';
import { isTerminal, type Job, jobId, getOperation } from '../../../shared/video/jobs/index.ts';
import { ConditionFailedError, Jobs } from '../../../shared/storage/index.ts';
import { enqueueVideoTask } from '../../../shared/video/index.ts';
import type { Queue } from '../../../shared/aws/index.ts';
import { textFact } from '../../dashboard/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { confirmAction, type ConfirmOptions } from '../operator/confirm.ts';
import { getOutput, openSystem, type SystemAccess } from '../operator/open-system.ts';
import { OperatorError } from '../operator-error.ts';
import { openQueue } from '../operator/queues.ts';
import { createSystemLogs } from '../operator/read-logs.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { openTable } from '../operator/tables.ts';
import { formatDollars, formatDuration } from '../output/format.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import { withProgress } from '../output/progress.ts';
import { formatTable } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';

const EXAMPLES = `
Lists videos and pictures that are not finished, and those that ended since --since. Prompts are not shown.

Examples:
  npx parley jobs                             on this machine
  npx parley jobs --stage prod --since 7d     of a deployment, with those that ended in the last week
  npx parley jobs cancel 3f2a9c0d --stage prod
  npx parley jobs check 3f2a9c0d              ask the service now, without waiting for the next check

Exit codes: 0 done, 1 not done, 2 wrong arguments.`;

type ListOptions = OperatorOptions & { /** ms */ readonly since: number };
type ChangeOptions = OperatorOptions & ConfirmOptions;

const DEFAULT_SINCE_MS = 24 * 60 * 60_000;
const MAX_JOBS = 500;

/** Adds `parley jobs`. */
export function addJobsCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const run = (work: () => Promise<number>): Promise<void> => runOperatorCommand(terminal, work).then(exit);
  const jobs = program
    .command('jobs')
    .description('List videos and pictures in progress; cancel one, or ask the service about it now.')
    .addHelpText('after', EXAMPLES);
  addOperatorOptions(jobs.command('list', { isDefault: true }).description('List jobs.'))
    .option(
      '--since <time>',
      'also those that ended since, such as 2h or 7d',
      parseTimeOption,
      DEFAULT_SINCE_MS,
    )
    .action((options: ListOptions) => run(() => runList(options, terminal)));
  const change = (name: string, about: string, act: ChangeJob): void => {
    addOperatorOptions(
      jobs.command(name).description(about).argument('<id>', 'the id, or its first 8 characters'),
    )
      .option('--dry-run', 'only show the job', false)
      .option('--yes', 'do not ask for confirmation', false)
      .action((id: string, options: ChangeOptions) => run(() => runChange(id, options, terminal, act)));
  };
  change('cancel', 'Cancel a job. What the service has made already is charged.', cancelJob);
  change('check', 'Ask the service about a job now.', checkJob);
}

async function runList(options: ListOptions, terminal: Terminal): Promise<number> {
  const system = await openSystem(options, terminal);
  const jobs = await withProgress(terminal, 'Reading the jobs ...', () =>
    listJobs(system, options.since, terminal),
  );
  if (options.json) terminal.print(JSON.stringify({ jobs: jobs.map(toRow) }, undefined, 2));
  else printJobs(jobs, terminal);
  return EXIT_CODE.success;
}

const openJobs = (system: SystemAccess): Jobs => new Jobs({ ...openTable(system), days: 30, now: Date.now });

/** Open jobs come from the table, ended ones by the ids in the logs. The newest come first. */
async function listJobs(system: SystemAccess, sinceMs: number, { report }: Terminal): Promise<Job[]> {
  const store = openJobs(system);
  const open = await store.listOpen(MAX_JOBS, (id) => report(`The job ${id} cannot be read.`));
  const now = Date.now();
  const anyOf = [['event', 'video.job-ended']] as const;
  const readLogs = createSystemLogs(system, Date.now);
  const { records, isComplete } = await readLogs({ fromMs: now - sinceMs, untilMs: now, anyOf });
  if (!isComplete) report('Not all ended jobs were found: the logs are long. Choose a shorter --since.');
  const ids = new Set(records.flatMap((record) => jobId(textFact(record, 'job') ?? '') ?? []));
  for (const { id } of open) ids.delete(id);
  const ended = await Promise.all([...ids].slice(-MAX_JOBS).map((id) => store.findEventually(id)));
  return [...open, ...ended.filter((job) => job !== undefined)].toSorted((a, b) => b.createdAt - a.createdAt);
}

type JobRow = {
  readonly id: string;
  readonly operation: string;
  readonly state: string;
  readonly createdAt: number;
  readonly price: string | undefined;
  readonly model: string;
  readonly by: string;
  readonly thread: string;
  readonly keyName: string | undefined;
};

/** A job without its prompt, its picture and its addresses. */
const toRow = (job: Job): JobRow => ({
  id: job.id,
  operation: getOperation(job),
  state: describeState(job),
  createdAt: job.createdAt,
  price: job.price,
  model: job.model,
  by: job.by.user,
  thread: `${job.thread.platform}#${job.thread.workspace}#${job.thread.channel}#${job.thread.root}`,
  keyName: job.keyName,
});

function describeState({ state, isCancelRequested, isRateLimited, serviceProblem, place }: Job): string {
  if (isTerminal(state)) return state;
  const notes = [
    isCancelRequested && 'being cancelled',
    isRateLimited && 'waits for a rate limit',
    serviceProblem === 'not-taken' && 'the service does not accept it',
    serviceProblem === 'unheard' && 'the service does not answer',
    state === 'queued' && place !== undefined && `${place} before it`,
  ].filter(Boolean);
  return notes.length > 0 ? `${state} (${notes.join(', ')})` : state;
}

/** Prints the jobs as a table. */
export function printJobs(
  jobs: readonly Job[],
  { print, width }: Pick<Terminal, 'print' | 'width'>,
  now = Date.now(),
): void {
  if (jobs.length === 0) return print('There are no jobs.');
  const table = formatTable<JobRow>(
    jobs.map(toRow),
    [
      { title: 'Id', cell: ({ id }) => id, isWhole: true },
      { title: 'What', cell: ({ operation }) => operation },
      { title: 'State', cell: ({ state }) => state },
      { title: 'Age', cell: ({ createdAt }) => formatDuration(now - createdAt), isNumber: true },
      {
        title: 'Price',
        cell: ({ price }) => formatDollars(price === undefined ? undefined : Number(price)),
        isNumber: true,
      },
      { title: 'By', cell: ({ by }) => by },
      { title: 'Thread', cell: ({ thread }) => thread },
    ],
    width,
  );
  for (const line of table) print(line);
}

/** What a change needs. */
export type JobDeps = {
  readonly jobs: Pick<Jobs, 'find' | 'save'>;
  readonly queue: Queue;
  readonly now: () => number;
};
/** Changes a job. Resolves with what happens next, for people; throws OperatorError if it is too late. */
type ChangeJob = (job: Job, deps: JobDeps) => Promise<string>;

/** Cancels a job that the service has not finished. Repeated, it changes nothing more. */
export const cancelJob: ChangeJob = async (job, { jobs, queue }) => {
  if (isTerminal(job.state) || job.state === 'delivering')
    throw new OperatorError(`It is too late: the job is ${job.state}.`);
  if (job.state === 'proposed') {
    await jobs.save(job, { state: 'cancelled' });
    return 'Cancelled: nobody had confirmed its price.';
  }
  if (job.isCancelRequested !== true) await jobs.save(job, { isCancelRequested: true });
  await enqueueVideoTask(job, 'cancel', queue);
  return 'It is being cancelled at the service. Its card says so when it is.';
};

/** The queue drops the same check within five minutes. */
const CHECK_INTERVAL_MS = 10_000;

/** Has a worker ask the service about a job. */
export const checkJob: ChangeJob = async (job, { queue, now }) => {
  if (isTerminal(job.state)) throw new OperatorError(`There is nothing to check: the job is ${job.state}.`);
  await enqueueVideoTask(job, `operator-${Math.floor(now() / CHECK_INTERVAL_MS)}`, queue);
  return 'A worker asks the service now. "npx parley jobs" shows the result.';
};

async function runChange(
  id: string,
  options: ChangeOptions,
  terminal: Terminal,
  act: ChangeJob,
): Promise<number> {
  const system = await openSystem(options, terminal);
  const jobs = openJobs(system);
  const job = findJob(await listJobs(system, DEFAULT_SINCE_MS, terminal), id);
  if (options.json) terminal.print(JSON.stringify({ jobs: [toRow(job)] }, undefined, 2));
  else printJobs([job], terminal);
  if (!(await confirmAction(options, 'Do this?', terminal))) return EXIT_CODE.success;
  const queue = openQueue(system.call, getOutput(system, 'TasksUrl'));
  terminal.report(await changeJob(job.id, act, { jobs, queue, now: Date.now }));
  return EXIT_CODE.success;
}

/** A worker changes a job every few seconds, also while a person reads the question. */
const MAX_CONFLICTS = 5;

/** Changes a job as it is now. Resolves with what happens next; rejects with OperatorError if that is not possible. */
export async function changeJob(id: Job['id'], act: ChangeJob, deps: JobDeps): Promise<string> {
  for (let attempt = 1; attempt <= MAX_CONFLICTS; attempt += 1) {
    const job = await deps.jobs.find(id);
    if (job === undefined) throw new OperatorError(`The job ${id} is gone: it was erased meanwhile.`);
    try {
      return await act(job, deps);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }
  throw new OperatorError('Not done: a worker changes the job at this moment. Try again.');
}

const MIN_ID_LENGTH = 8;

/** Finds a job by its id or the start of it. Throws OperatorError if there is none or more than one. */
export function findJob(jobs: readonly Job[], id: string): Job {
  const matching = jobs.filter(
    (job) => job.id === id || (id.length >= MIN_ID_LENGTH && job.id.startsWith(id)),
  );
  const [job] = matching;
  if (job === undefined)
    throw new OperatorError(`There is no job ${id} in progress. "npx parley jobs" lists them.`);
  if (matching.length > 1) throw new OperatorError(`Several jobs begin with ${id}. Write more of the id.`);
  return job;
}
