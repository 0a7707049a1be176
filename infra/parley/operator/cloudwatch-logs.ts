import * as v from 'valibot';
import { type LogRecord, parseLogLine } from '../../dashboard/index.ts';
import type { OperatorCall } from './operator-call.ts';

/** Which log lines are wanted. Times are ms since 1970. */
export type LogQuery = {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Lines that have at least one of these values; every line if undefined. A `*` at the start or end of a value stands for any characters. */
  readonly anyOf?: readonly (readonly [fact: string, value: string])[] | undefined;
};

export type LogPage = {
  /** Oldest first. */
  readonly records: readonly LogRecord[];
  /** False if there are more lines than were read. */
  readonly isComplete: boolean;
};

const TARGET = 'Logs_20140328.';
/** How many log groups are read at the same time: AWS allows few of these requests per second. */
const MAX_PARALLEL = 3;
/** Time limit for all groups. Half an hour of a busy group takes some seconds. */
const SEARCH_TIMEOUT_MS = 60_000;
const MAX_RECORDS = 50_000;
/** The log of the HTTP API, in deployments of older versions, has no events. */
const OTHER_LOGS = /\/api$/u;

const groupsSchema = v.object({
  logGroups: v.optional(v.array(v.object({ logGroupName: v.string() })), []),
  nextToken: v.optional(v.string()),
});
const eventsSchema = v.object({
  events: v.optional(v.array(v.object({ timestamp: v.number(), message: v.string() })), []),
  nextToken: v.optional(v.string()),
});

/** Returns the log groups of all functions of a stack. */
export async function listLogGroups(call: OperatorCall, stack: string): Promise<string[]> {
  const names: string[] = [];
  let nextToken: string | undefined;
  do {
    const input = { logGroupNamePrefix: `/${stack}/`, ...(nextToken !== undefined && { nextToken }) };
    const page = v.parse(groupsSchema, await call('logs', `${TARGET}DescribeLogGroups`, input));
    names.push(...page.logGroups.map(({ logGroupName }) => logGroupName));
    ({ nextToken } = page);
  } while (nextToken !== undefined);
  return names.filter((name) => !OTHER_LOGS.test(name));
}

/** Searches log groups, for at most a minute. Rejects with AwsCallError. */
export async function searchLogGroups(
  call: OperatorCall,
  groups: readonly string[],
  query: LogQuery,
  now: () => number,
): Promise<LogPage> {
  const endsAt = now() + SEARCH_TIMEOUT_MS;
  const waiting = [...groups];
  const records: LogRecord[] = [];
  let isComplete = true;
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      let nextToken: string | undefined;
      do {
        if (now() > endsAt || records.length > MAX_RECORDS) {
          isComplete = false;
          return;
        }
        const input = toRequest(group, query, nextToken);
        const page = v.parse(eventsSchema, await call('logs', `${TARGET}FilterLogEvents`, input));
        const source = group.slice(group.lastIndexOf('/') + 1);
        records.push(
          ...page.events.flatMap(
            ({ timestamp, message }) => parseLogLine(source, message.trim(), timestamp) ?? [],
          ),
        );
        ({ nextToken } = page);
      } while (nextToken !== undefined);
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  return { records: records.toSorted((a, b) => a.at - b.at), isComplete };
}

function toRequest(logGroupName: string, { fromMs, untilMs, anyOf }: LogQuery, nextToken?: string) {
  return {
    logGroupName,
    startTime: fromMs,
    endTime: untilMs,
    ...(anyOf && { filterPattern: toFilterPattern(anyOf) }),
    ...(nextToken !== undefined && { nextToken }),
  };
}

/** Returns a filter pattern for JSON lines: CloudWatch Logs, "Filter pattern syntax". */
const toFilterPattern = (anyOf: readonly (readonly [fact: string, value: string])[]): string =>
  `{ ${anyOf.map(([fact, value]) => `($.${fact} = ${JSON.stringify(value)})`).join(' || ')} }`;
