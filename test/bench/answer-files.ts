import { Session } from 'node:inspector/promises';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { SoakHarness, channelOf, personOf } from '../soak/harness.ts';
import type { Row } from './report-table.ts';

/** Files of the front, which is in the same process here: it also gets an event for each message of the answer. */
const FRONT =
  /^shared\/(?:intake|runtime\/http|platforms\/slack\/(?:bolt-app|inbound|listeners|api\/payload-fields))|^functions\/composition\/slack\/slack-front/u;
/**
 * Features (chat and what it calls of voice, video, billing, settings, installs, worker), platforms and storage. Not counted:
 * the vocabulary that they share (domain, rules of settings, budgets and rate limits, texts, utilities), the queue, AWS, and
 * the composition.
 */
const FEATURES_AND_ADAPTERS =
  /^shared\/(?:chat|voice|video|worker|installs|platforms|storage|billing\/[\w-]+\.ts|settings\/[\w-]+\.ts)/u;
/** The most files of features, platforms and storage that somebody has to read to know how an answer is made. */
const MAX_FILES = 60;
const MINUTE = 60_000;
const SOURCES = `${pathToFileURL(join(import.meta.dirname, '..', '..')).href}/`;

/**
 * Counts the project's files with a function that is called while a worker answers one Slack question, from the queued
 * task to the published answer. Slack, the models, the tables and the queue are simulated. Prints the number by
 * folder; with PARLEY_LIST all paths.
 */
export async function answerFiles(): Promise<Row[]> {
  // The event that lists all files comes first: otherwise the worker also asks Slack for them.
  const harness = new SoakHarness(1, () => undefined, undefined, false);
  const ask = async (): Promise<void> => {
    const text = `@${harness.slack.identity.botName} what about this?`;
    harness.slack.say(personOf(0), text, { channel: channelOf(0) });
    await harness.time.pass(harness.time.now() + MINUTE);
  };
  harness.start();
  // By then everything that a process builds once is built.
  await ask();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const send = harness.line.send.bind(harness.line);
  harness.line.send = async (...task) => {
    await send(...task);
    // Forgets what the front called.
    await session.post('Profiler.takePreciseCoverage');
  };
  await ask();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  harness.stop();
  if (harness.failures.length > 0) throw new Error(harness.failures.join('\n'));
  const paths = result
    .filter(({ url }) => /^(?:shared|functions)\//u.test(url.slice(SOURCES.length)))
    // A function without a name at the start of the file is the module itself.
    .filter(({ functions }) =>
      functions.some(({ ranges: [range] }) => range && range.count > 0 && range.startOffset > 0),
    )
    .map(({ url }) => url.slice(SOURCES.length))
    .filter((path) => !FRONT.test(path));
  const folders = Map.groupBy(paths, (path) => path.split('/').slice(0, 3).join('/'));
  for (const [folder, files] of [...folders].toSorted((a, b) => b[1].length - a[1].length))
    process.stdout.write(`${String(files.length).padStart(3)}  ${folder}\n`);
  if (process.env['PARLEY_LIST'] !== undefined) process.stdout.write(`${paths.toSorted().join('\n')}\n`);
  const narrow = paths.filter((path) => FEATURES_AND_ADAPTERS.test(path)).length;
  return [
    {
      what: 'files with a function that one Slack answer calls in the worker',
      value: paths.length,
      unit: 'files',
    },
    {
      what: 'of these, in features, platforms and storage (not domain, rules, texts, utilities, queue, AWS)',
      value: narrow,
      unit: 'files',
      limit: MAX_FILES,
    },
  ];
}
