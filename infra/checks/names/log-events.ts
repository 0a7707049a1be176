import type { SourceFile } from '../source-tree.ts';

/** Calls that log an event or record its metrics, with the event as a literal, or after the name of a platform. */
const LOG_CALL =
  /\b(?<log>log|metrics|debug|info|warn|error)(?:\??\.(?<level>debug|info|warn|error))?(?:\?\.)?\(\s*(?:'(?<event>[A-Za-z][\w-]*\.[\w.-]*)'|`\$\{[\w.]*platform\}(?<rest>\.[\w.-]*)`)/gu;
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
/** The name of a platform at the beginning of an event. */
const PLATFORM = /^(?:slack|discord)(?=\.)/u;
const RUNBOOK = 'docs/runbook.md';
const WARNINGS = 'docs/log-events.md';
/** A search for an event in a document: of CloudWatch, or of `parley tail`. */
const SEARCH = /(?:\bevent = "|--event ')([^"']+)["']/gu;

type LoggedEvent = {
  readonly path: string;
  readonly event: string;
  /** `log` if the function that logs it does not say a level. */
  readonly level: string;
};

/**
 * Reports log events that do not have the form `area.what-happened`, events with an alarm that the code does not log or docs/runbook.md does not explain, and
 * events that documents search for and that are not logged. One sentence each.
 */
export function findLogEventProblems(files: readonly SourceFile[]): string[] {
  const code = files.filter(({ path }) => /^(?:shared|functions|infra\/local)\/.*\.ts$/u.test(path));
  const logged = listLoggedEvents(files);
  const runbook = files.find(({ path }) => path === RUNBOOK)?.text ?? '';
  const alarmed = listAlarmedEvents(files);
  const isInCode = (event: string): boolean => code.some(({ text }) => text.includes(`'${event}'`));
  return [
    ...logged
      .filter(({ event }) => !hasStandardForm(event))
      .map(({ path, event }) => `${path}: the log event ${event} is not area.what-happened`),
    ...alarmed
      .filter(({ event }) => !isInCode(event))
      .map(({ path, event }) => `${path}: nothing logs the event ${event}`),
    ...alarmed
      .filter(({ event }) => !runbook.includes(event))
      .map(({ path, event }) => `${path}: ${RUNBOOK} does not explain the event ${event}`),
    ...files
      .filter(({ path }) => /^docs\/.*\.md$/u.test(path))
      .flatMap(({ path, text }) => [...text.matchAll(SEARCH)].map(([, event = '']) => ({ path, event })))
      .filter(({ event }) =>
        event.endsWith('*')
          ? !logged.some((one) => one.event.startsWith(event.slice(0, -1)))
          : !isInCode(event),
      )
      .map(({ path, event }) => `${path}: searches for the event ${event}, which nothing logs`),
  ];
}

/**
 * Returns the events that raise an alarm and may be logged below `warn`: the metric filter would not see them with `LogLevel=warn`. `isFailure` says
 * whether an event without a level of its own is logged as a warning (`isFailureEvent`).
 */
export function findQuietAlarms(
  files: readonly SourceFile[],
  isFailure: (event: string) => boolean,
): string[] {
  const alarmed = new Set(listAlarmedEvents(files).map(({ event }) => event));
  return listLoggedEvents(files)
    .filter(({ event }) => alarmed.has(event))
    .filter(
      ({ event, level }) => level === 'debug' || (!/^(?:warn|error)$/u.test(level) && !isFailure(event)),
    )
    .map(({ path, event }) => `${path}: the event ${event} raises an alarm and is no warning`);
}

/**
 * Compares the events that are logged as warnings or errors with the rows of docs/log-events.md. `isFailure`: see `findQuietAlarms`. An event of both platforms
 * needs a row for one of them. One sentence for each event without a row, and each row without an event.
 */
export function findUnexplainedWarnings(
  files: readonly SourceFile[],
  isFailure: (event: string) => boolean,
): string[] {
  const page = files.find(({ path }) => path === WARNINGS)?.text ?? '';
  const rows = page.split('\n').flatMap((line) => {
    const [, cell = ''] = /^\| (`[a-z-]+\.[^|]*)\|/u.exec(line) ?? [];
    return [...cell.matchAll(/`([a-z-]+\.[a-z-]+)`/gu)].map(([, event = '']) => event);
  });
  const isInRow = (event: string): boolean =>
    event.startsWith('platform.')
      ? ['slack', 'discord'].some((name) => rows.includes(event.replace('platform', name)))
      : rows.includes(event);
  const warnings = listLoggedEvents(files).filter(
    ({ event, level }) =>
      level === 'warn' || level === 'error' || (/^(?:log|info)$/u.test(level) && isFailure(event)),
  );
  const code = files.filter(({ path }) => /^(?:shared|functions)\/.*\.ts$/u.test(path));
  return [
    ...warnings
      .filter(({ event }) => !isInRow(event))
      .map(({ path, event }) => `${path}: ${WARNINGS} does not explain the event ${event}`),
    ...rows
      .filter((event) => !code.some(({ text }) => isLogged(event, text)))
      .map((event) => `${WARNINGS}: nothing logs the event ${event}`),
  ];
}

/** Whether code names an event: as a literal, or after the name of a platform. */
export const isLogged = (event: string, code: string): boolean =>
  code.includes(`'${event}'`) ||
  (PLATFORM.test(event) && code.includes(`${event.replace(PLATFORM, 'platform}')}\``));

const listLoggedEvents = (files: readonly SourceFile[]): LoggedEvent[] =>
  files
    .filter(({ path }) => /^(?:shared|functions)\/.*\.ts$/u.test(path))
    .flatMap(({ path, text }) =>
      unique([...text.matchAll(LOG_CALL)].map(toLoggedEvent)).map((one) => ({ path, ...one })),
    );

function toLoggedEvent({ groups = {} }: RegExpExecArray): Omit<LoggedEvent, 'path'> {
  const { log = '', level = log, event, rest = '' } = groups;
  return { event: event ?? `platform${rest}`, level };
}

/** Returns the events that raise an alarm, and the files with their metric filters. */
export const listAlarmedEvents = (
  files: readonly SourceFile[],
): { readonly path: string; readonly event: string }[] =>
  files
    .filter(({ path }) => /^infra\/cdk\/.*\.ts$/u.test(path) && path !== WITHOUT_ALARM)
    .flatMap(({ path, text }) =>
      [...new Set([...text.matchAll(ALARM)].map(([, event = '']) => event))].map((event) => ({
        path,
        event,
      })),
    );

const unique = <T extends Omit<LoggedEvent, 'path'>>(events: readonly T[]): T[] => [
  ...new Map(events.map((one) => [`${one.event} ${one.level}`, one])).values(),
];

function hasStandardForm(event: string): boolean {
  const [, happened = ''] = event.split('.');
  return FORM.test(event) && (PAST.test(happened) || STATES.has(happened.split('-').at(-1) ?? ''));
}
