import { Argument, type Command, InvalidArgumentError } from 'commander';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createTrace, parseTraceId } from '../../../shared/runtime/index.ts';
import { EXIT_CODE } from '../exit-codes.ts';
import { confirmAction, type ConfirmOptions } from '../operator/confirm.ts';
import { addFollowOptions, type FollowOptions } from '../operator/follow-work.ts';
import { findLogGap } from '../operator/log-gap.ts';
import { getOutput, openSystem, type SystemAccess } from '../operator/open-system.ts';
import { OperatorError } from '../operator-error.ts';
import { openQueue } from '../operator/queues.ts';
import {
  addOperatorOptions,
  type OperatorOptions,
  runOperatorCommand,
} from '../operator/run-operator-command.ts';
import { createSystemLogs } from '../operator/read-logs.ts';
import { openTable } from '../operator/tables.ts';
import { findSlackTeam, openTurns } from '../operator/turns.ts';
import { withProgress } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';
import {
  describeSubject,
  type DataSubject,
  parseSubject,
  SUBJECT_HELP,
  SUBJECT_KINDS,
  type SubjectKind,
} from './data-subject.ts';
import { enqueueSubjectErasure } from './enqueue-erasure.ts';
import { followErasure } from './follow-erasure.ts';
import { countData, type DataSources, readData } from './read-data.ts';

const SUBJECTS = Object.values(SUBJECT_HELP).join('\n');

const EXPORT_EXAMPLES = `
Writes what is stored to a file that only you can read. It has what people and models wrote: handle it accordingly.
${SUBJECTS}

Examples:
  npx parley export person slack:T0123456789:U0123456789 --out ada.json
  npx parley export thread https://acme.slack.com/archives/C0123456789/p1700000000000100 --stage prod --out thread.json
  npx parley export workspace discord:201000000000000001 --stage prod --out guild.json

Exit codes: 0 written, 1 not written, 2 wrong arguments.`;

const FORGET_EXAMPLES = `
Shows what is stored, asks, and has the bot erase it for ever: its messages on the platform too, where it may delete them. The log keeps
that it was done (erasure.completed), and the table since when. A workspace is erased as if it had uninstalled the app. The command waits until
the erasure is completed.
${SUBJECTS}

Examples:
  npx parley forget person slack:T0123456789:U0123456789 --dry-run
  npx parley forget thread slack#T0123456789#C0123456789#1700000000.000100
  npx parley forget workspace discord:201000000000000001 --stage prod --yes

Exit codes: 0 erased (with --no-wait: queued), 1 not done or not done in time, 2 wrong arguments.`;

type ExportOptions = OperatorOptions & { readonly out: string; readonly force: boolean };
type ForgetOptions = OperatorOptions & ConfirmOptions & FollowOptions;

/** A workspace has many pages, with pauses where the table is scanned. */
const FORGET_TIMEOUT_MS = 10 * 60_000;

/** Adds `parley export` and `parley forget`. */
export function addDataCommands(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const add = (name: string, about: string): Command =>
    addOperatorOptions(
      program
        .command(name)
        .description(about)
        .addArgument(new Argument('<what>', 'whose data').choices(SUBJECT_KINDS))
        .argument('<name>', 'which: see the examples', parseName),
    );
  const run = (work: () => Promise<number>): Promise<void> => runOperatorCommand(terminal, work).then(exit);
  add('export', 'Write the stored data of a person, a thread or a workspace to a file.')
    .requiredOption('--out <file>', 'the file')
    .option('--force', 'replace the file if it exists', false)
    .addHelpText('after', EXPORT_EXAMPLES)
    .action((kind: SubjectKind, name: string, options: ExportOptions) =>
      run(() => runExport(kind, name, options, terminal)),
    );
  addFollowOptions(
    add('forget', 'Erase the stored data of a person, a thread or a workspace.')
      .option('--dry-run', 'only show what would be erased', false)
      .option('--yes', 'do not ask for confirmation', false),
    FORGET_TIMEOUT_MS,
  )
    .addHelpText('after', FORGET_EXAMPLES)
    .action((kind: SubjectKind, name: string, options: ForgetOptions) =>
      run(() => runForget(kind, name, options, terminal)),
    );
}

function parseName(input: string): string {
  if (input.length > 500) throw new InvalidArgumentError('This is too long for a name.');
  return input;
}

async function findSubject(kind: SubjectKind, name: string, system: SystemAccess): Promise<DataSubject> {
  const needsTeam = kind === 'thread' && name.includes('/archives/');
  const subject = parseSubject(kind, name, needsTeam ? await findSlackTeam(system) : undefined);
  if (subject === undefined)
    throw new OperatorError(`"${name}" names no ${kind}, or its workspace is unknown. ${SUBJECT_HELP[kind]}`);
  return subject;
}

const toSources = (system: SystemAccess): DataSources => ({
  ...openTable(system),
  now: Date.now,
  pause: (ms) => wait(ms),
});

async function runExport(
  kind: SubjectKind,
  name: string,
  options: ExportOptions,
  terminal: Terminal,
): Promise<number> {
  const { out, force } = options;
  if (existsSync(out) && !force) throw new OperatorError(`${out} exists. Add --force to replace it.`);
  const system = await openSystem(options, terminal);
  const subject = await findSubject(kind, name, system);
  const count = await withProgress(terminal, 'Reading the table ...', () =>
    writeExport(subject, toSources(system), out),
  );
  if (options.json) terminal.print(JSON.stringify({ about: subject, file: out, entries: count }));
  else
    terminal.print(
      `${count} ${count === 1 ? 'entry' : 'entries'} of ${describeSubject(subject)} written to ${out}.`,
    );
  return EXIT_CODE.success;
}

/** Writes entry by entry, so that a large workspace needs little memory. A failed export leaves what was there. */
export async function writeExport(subject: DataSubject, sources: DataSources, out: string): Promise<number> {
  const next = `${out}.${process.pid}.part`;
  let count = 0;
  const write = async function* (): AsyncGenerator<string> {
    const at = new Date(sources.now()).toISOString();
    yield `{\n"about": ${JSON.stringify(subject)},\n"at": ${JSON.stringify(at)},\n"entries": [`;
    for await (const entries of readData(subject, sources))
      for (const entry of entries) {
        yield `${count === 0 ? '' : ','}\n${JSON.stringify(entry)}`;
        count += 1;
      }
    yield '\n],\n"complete": true\n}\n';
  };
  try {
    // Opened first: a stream that fails while its file is being opened would create the file after its removal.
    const file = await open(next, 'wx', 0o600);
    await pipeline(write, file.createWriteStream());
    renameSync(next, out);
    return count;
  } catch (error) {
    rmSync(next, { force: true });
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (/^(?:ENOENT|EACCES|ENOSPC|EROFS|EISDIR)$/u.test(code))
      throw new OperatorError(`${out} could not be written (${code}). Choose another --out.`);
    throw error;
  }
}

async function runForget(
  kind: SubjectKind,
  name: string,
  options: ForgetOptions,
  terminal: Terminal,
): Promise<number> {
  const system = await openSystem(options, terminal);
  const subject = await findSubject(kind, name, system);
  const counts = await withProgress(terminal, 'Reading the table ...', () =>
    countData(subject, toSources(system)),
  );
  const stored = [...counts].map(([what, count]) => ({ what, count }));
  if (options.json) terminal.print(JSON.stringify({ about: subject, stored }, undefined, 2));
  else {
    terminal.print(`Stored of ${describeSubject(subject)}:`);
    for (const { what, count } of stored) terminal.print(`${String(count).padStart(8)}  ${what}`);
    if (stored.length === 0) terminal.print('  nothing, except for moments of earlier erasures');
  }
  const question = `Erase ${describeSubject(subject)} for ever?`;
  if (!(await confirmAction(options, question, terminal))) return EXIT_CODE.success;
  const starter =
    subject.kind === 'thread' ? await openTurns(system).findThreadStarter(subject.thread) : undefined;
  const trace = createTrace(Date.now());
  const queue = openQueue(system.call, getOutput(system, 'TasksUrl'), trace);
  const sinceMs = Date.now();
  await enqueueSubjectErasure(subject, starter, queue, sinceMs);
  const gap = options.wait ? await findLogGap(system) : undefined;
  if (gap !== undefined) {
    terminal.report(
      `The erasure is queued. Its end is in no log, so nothing waits for it. ${gap} --dry-run counts what is left.`,
    );
    return EXIT_CODE.success;
  }
  if (options.wait)
    return followErasure(
      { trace: parseTraceId(trace) ?? '', sinceMs },
      createSystemLogs(system, Date.now),
      { ...options, kind: system.kind },
      terminal,
    );
  terminal.report(`The erasure is queued. "npx parley tail --event 'erasure.*'" shows when it is completed.`);
  return EXIT_CODE.success;
}
