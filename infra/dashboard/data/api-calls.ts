import { type LogRecord, textFact } from './log-record.ts';

/** The log event with the requests of a task that are in no other line: see `shared/runtime/outgoing-calls.ts`. */
export const TASK_CALLS = 'task.requests-sent';

/** Requests of one kind that a task sent to a platform, the models or another server. Times in ms. */
export type ApiCall = {
  /** `slack`, `discord`, `models` or `other`. */
  readonly service: string;
  /** The method of the Web API, or the HTTP method with the path. */
  readonly method: string;
  /** When the first was sent; ms since 1970. */
  readonly at: number;
  /** The time of all of them. */
  readonly ms: number;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** Slack's error code, which comes with the status 200. */
  readonly error: string | undefined;
  readonly requests: number;
  /** How long 429 responses asked to wait. */
  readonly waitMs: number;
};

/** The requests of one method, over all attempts. */
export type MethodCalls = Omit<ApiCall, 'at' | 'status' | 'error'> & {
  /** Requests by their outcome: the status, an error code of Slack, or `no response`. */
  readonly statuses: Readonly<Record<string, number>>;
};

const ITEM =
  /^(?<service>[a-z]+):(?<name>[^\s@=]+?(?:@[^\s=]*?)?)@(?<start>\d+)\+(?<ms>\d+)=(?<status>\d{1,3})(?:!(?<error>[\w.]+?))?(?:x(?<count>\d+))?(?:~(?<wait>\d+))?$/u;

/** Returns the requests that a log line of a task lists, in the order of time. None for other lines. */
export function parseApiCalls(record: LogRecord): ApiCall[] {
  const [sinceStart, ...items] = (textFact(record, 'calls') ?? '').split(' ');
  const startMs = record.at - Number(sinceStart);
  return items.flatMap((item) => {
    const { service = '', name = '', start, ms, status, error, count, wait } = ITEM.exec(item)?.groups ?? {};
    if (start === undefined) return [];
    return [
      {
        service,
        method: name.replace('/', ' /'),
        at: startMs + Number(start),
        ms: Number(ms),
        status: Number(status),
        error,
        requests: Number(count ?? 1),
        waitMs: Number(wait ?? 0),
      },
    ];
  });
}

/** Returns the outcome of requests: Slack's error code, the status, or `no response`. */
export const describeOutcome = ({ status, error }: Pick<ApiCall, 'status' | 'error'>): string =>
  error ?? (status === 0 ? 'no response' : String(status));

/** Adds up the requests by service and method, in the order of their first request. */
export function sumApiCalls(calls: readonly ApiCall[]): MethodCalls[] {
  const sums = new Map<string, MethodCalls>();
  for (const call of calls.toSorted((a, b) => a.at - b.at)) {
    const { service, method, ms, requests, waitMs } = call;
    const key = `${service} ${method}`;
    const sum = sums.get(key);
    const name = describeOutcome(call);
    sums.set(key, {
      service,
      method,
      requests: (sum?.requests ?? 0) + requests,
      ms: (sum?.ms ?? 0) + ms,
      waitMs: (sum?.waitMs ?? 0) + waitMs,
      statuses: { ...sum?.statuses, [name]: (sum?.statuses[name] ?? 0) + requests },
    });
  }
  return [...sums.values()];
}
