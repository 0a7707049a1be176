import type { SourceFile } from '../source-tree.ts';

/** Calls that log an event or record its metrics, with the event as a literal. */
const LOG_CALL =
  /\b(?:log|warn|metrics)(?:\??\.(?:debug|info|warn|error))?(?:\?\.)?\(\s*'([A-Za-z][\w-]*\.[\w.-]*)'/gu;
/** `area.what-happened`: lower-case words, joined by hyphens, with one dot. */
const FORM = /^[a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*$/u;
/** What happened: a past participle, or a state of the area. */
const PAST = /(?:^|-)(?:[a-z]{2,}ed|sent|given|paid|gone)(?:-|$)/u;
const STATES: ReadonlySet<string> = new Set([
  'building',
  'error',
  'forbidden',
  'full',
  'heartbeat',
  'low',
  'missing',
  'unavailable',
  'unknown',
  'unreadable',
  'warning',
  'waiting',
]);
/** An event that raises an alarm: a filter pattern of the stack. */
const ALARM = /'\$\.event',\s*'=',\s*'([^']+)'/gu;
/** Its filter patterns are metrics without an alarm. */
const WITHOUT_ALARM = 'infra/cdk/monitoring/feedback-metrics.ts';
const RUNBOOK = 'docs/runbook.md';

/**
 * Reports log events that do not have the form `area.what-happened`, and events with an alarm that the code does not log or
 * docs/runbook.md does not explain. One sentence each.
 */
export function findLogEventProblems(files: readonly SourceFile[]): string[] {
  const code = files.filter(({ path }) => /^(?:shared|functions)\/.*\.ts$/u.test(path));
  const logged = code.flatMap(({ path, text }) => eventsIn(text, LOG_CALL).map((event) => ({ path, event })));
  const runbook = files.find(({ path }) => path === RUNBOOK)?.text ?? '';
  const alarmed = files
    .filter(({ path }) => /^infra\/cdk\/.*\.ts$/u.test(path) && path !== WITHOUT_ALARM)
    .flatMap(({ path, text }) => eventsIn(text, ALARM).map((event) => ({ path, event })));
  return [
    ...logged
      .filter(({ event }) => !hasStandardForm(event))
      .map(({ path, event }) => `${path}: the log event ${event} is not area.what-happened`),
    ...alarmed
      .filter(({ event }) => !code.some(({ text }) => text.includes(`'${event}'`)))
      .map(({ path, event }) => `${path}: nothing logs the event ${event}`),
    ...alarmed
      .filter(({ event }) => !runbook.includes(event))
      .map(({ path, event }) => `${path}: ${RUNBOOK} does not explain the event ${event}`),
  ];
}

const eventsIn = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, event = '']) => event)),
];

function hasStandardForm(event: string): boolean {
  const [, happened = ''] = event.split('.');
  return FORM.test(event) && (PAST.test(happened) || STATES.has(happened.split('-').at(-1) ?? ''));
}
