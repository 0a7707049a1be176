import * as v from 'valibot';
import type { OperatorCall } from '../../../infra/parley/operator/operator-call.ts';

/** A line as a function wrote it, and when CloudWatch received it (ms since 1970). */
export type LoggedLine = readonly [at: number, line: string];

// The limits of the API reference of CloudWatch Logs: FilterLogEvents, DescribeLogGroups, "quotas".
const MAX_PATTERN_LENGTH = 1_024;
const MAX_EVENT_BYTES = 1_024 * 1_024;
const ms = v.pipe(v.number(), v.integer(), v.minValue(0));
const groupName = v.pipe(v.string(), v.regex(/^[\w./#-]{1,512}$/u));
const filterSchema = v.strictObject({
  logGroupName: groupName,
  startTime: v.optional(ms, 0),
  endTime: v.optional(ms, Number.MAX_SAFE_INTEGER),
  filterPattern: v.optional(v.pipe(v.string(), v.maxLength(MAX_PATTERN_LENGTH)), ''),
  nextToken: v.optional(v.pipe(v.string(), v.minLength(1))),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000)), 10_000),
});
const describeSchema = v.strictObject({
  logGroupNamePrefix: v.optional(groupName),
  nextToken: v.optional(v.string()),
});

/**
 * `($.name = "value")`, also of a field in another (`$.outer.inner`): the only term that is used. A quotation mark or backslash in a value is escaped; an asterisk at its start or end stands for any
 * characters. What one in the middle means is not documented.
 */
const TERM = String.raw`\(\$\.(\w+(?:\.\w+)*) = ("(?:[^"\\]|\\["\\])*")\)`;
const PATTERN = new RegExp(String.raw`^\{ ${TERM}(?: \|\| ${TERM})* \}$`, 'u');

/**
 * CloudWatch Logs with these groups. Like AWS it rejects unknown fields, unknown groups, times with fractions or that end before they begin,
 * and long or malformed patterns; a page may be empty although others follow. `pageSize`: the events that it searches for one page.
 */
export function fakeCloudWatchLogs(
  groups: Readonly<Record<string, readonly LoggedLine[]>>,
  pageSize = 2,
): { readonly call: OperatorCall; readonly inputs: readonly object[] } {
  const inputs: object[] = [];
  for (const [, line] of Object.values(groups).flat())
    if (Buffer.byteLength(line) > MAX_EVENT_BYTES) throw new Error('CloudWatch splits lines of this length');
  const call: OperatorCall = async (service, target, input) => {
    if (service !== 'logs') throw new Error(`UnknownOperationException: ${service}`);
    if (target === 'Logs_20140328.DescribeLogGroups') {
      const { logGroupNamePrefix = '' } = v.parse(describeSchema, input);
      const names = Object.keys(groups).filter((name) => name.startsWith(logGroupNamePrefix));
      return { logGroups: names.map((logGroupName) => ({ logGroupName })) };
    }
    if (target !== 'Logs_20140328.FilterLogEvents') throw new Error(`UnknownOperationException: ${target}`);
    inputs.push(input);
    const { logGroupName, startTime, endTime, filterPattern, nextToken } = v.parse(filterSchema, input);
    const lines = groups[logGroupName];
    if (!lines) throw new Error('ResourceNotFoundException: The specified log group does not exist.');
    if (startTime > endTime) throw new Error('InvalidParameterException: start time is after end time');
    const matches = parsePattern(filterPattern);
    const inTime = lines.filter(([at]) => at >= startTime && at <= endTime);
    const from = Number(nextToken ?? 0);
    const events = inTime
      .slice(from, from + pageSize)
      .filter(([, line]) => matches(line))
      .map(([timestamp, message]) => ({ timestamp, message }));
    const hasMore = from + pageSize < inTime.length;
    return { events, searchedLogStreams: [], ...(hasMore && { nextToken: String(from + pageSize) }) };
  };
  return { call, inputs };
}

function parsePattern(pattern: string): (line: string) => boolean {
  if (pattern === '') return () => true;
  if (!PATTERN.test(pattern)) throw new Error('InvalidParameterException: Invalid filter pattern');
  const terms = [...pattern.matchAll(new RegExp(TERM, 'gu'))];
  return (line) => {
    const facts: unknown = line.startsWith('{') ? JSON.parse(line) : {};
    return terms.some(([, name = '', value = '']) =>
      matchesValue(readField(facts, name.split('.')), String(JSON.parse(value))),
    );
  };
}

const readField = (of: unknown, path: readonly string[]): unknown =>
  path.reduce((part, name) => Reflect.get(Object(part), name), of);

function matchesValue(fact: unknown, value: string): boolean {
  const [, start = '', words = '', end = ''] = /^(\*?)(.*?)(\*?)$/u.exec(value) ?? [];
  if (words.includes('*') || words === '') throw new Error(`not documented: the value ${value}`);
  if (typeof fact !== 'string' || start + end === '') return fact === value;
  const at = end === '' ? fact.lastIndexOf(words) : fact.indexOf(words);
  return at >= 0 && (start !== '' || at === 0) && (end !== '' || at + words.length === fact.length);
}
