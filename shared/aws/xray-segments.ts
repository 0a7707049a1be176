import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { AwsCall } from './aws-request.ts';
import { inTrace } from '../runtime/task-trace.ts';

/** A part of what a task does, in ms since 1970. */
export type Phase = { readonly name: string; readonly fromMs: number; readonly toMs: number };
/** By which a trace is searched for in X-Ray. Never what people wrote. */
export type Annotations = Readonly<Record<string, string | number | boolean | undefined>>;

/** Tells the phases of the task that is being done, once they are over. */
export type NotePhases = (phases: readonly Phase[], annotations?: Annotations) => void;

/** Of a process that records no traces. */
export const noPhases: NotePhases = () => undefined;

type Noted = { phases: readonly Phase[]; annotations: Annotations };

const PUT_TIMEOUT_MS = 2_000;

/**
 * Segments of X-Ray: what a task takes, in the trace of the message by which it came, one for each task. A worker does several tasks at a time and
 * receives some of them itself, so the segment that Lambda makes of an invocation tells of none of them. Sent to X-Ray itself, which works in a
 * container too, where there is no daemon; only of traces that X-Ray keeps.
 */
export class TaskSegments {
  readonly #name: string;
  readonly #aws: AwsCall;
  readonly #now: () => number;
  readonly #current = new AsyncLocalStorage<Noted>();

  /** `name`: of the service on the map of X-Ray: letters, digits, `_.:/%&#=+\-@` and blanks. */
  constructor(name: string, aws: AwsCall, now: () => number) {
    this.#name = name;
    this.#aws = aws;
    this.#now = now;
  }

  readonly note: NotePhases = (phases, annotations = {}) => {
    const noted = this.#current.getStore();
    if (!noted) return;
    noted.phases = [...noted.phases, ...phases];
    noted.annotations = { ...noted.annotations, ...annotations };
  };

  /**
   * Does a task in its trace (X-Ray's header), as `inTrace` does, and tells X-Ray what it took. What the task puts on a queue follows from its segment.
   * A segment that cannot be sent is lost; the task is done all the same.
   */
  async record<T>(header: string | undefined, act: () => Promise<T>): Promise<T> {
    const trace = sampledTrace(header);
    if (!trace) return inTrace(header, act);
    const id = randomBytes(8).toString('hex');
    const noted: Noted = { phases: [], annotations: {} };
    const startMs = this.#now();
    let fault = true;
    try {
      const own = `Root=${trace.root};Parent=${id};Sampled=1`;
      const result = await inTrace(own, () => this.#current.run(noted, act));
      fault = false;
      return result;
    } finally {
      await this.#put({
        id,
        name: this.#name,
        trace_id: trace.root,
        ...(trace.parent && { parent_id: trace.parent }),
        start_time: startMs / 1_000,
        end_time: this.#now() / 1_000,
        ...(fault && { fault }),
        annotations: noted.annotations,
        subsegments: noted.phases.map(subsegment),
      }).catch(() => undefined);
    }
  }

  async #put(document: object): Promise<void> {
    const input = JSON.stringify({ TraceSegmentDocuments: [JSON.stringify(document)] });
    const signal = AbortSignal.timeout(PUT_TIMEOUT_MS);
    await this.#aws({
      service: 'xray',
      target: 'AWSXRay.PutTraceSegments',
      path: '/TraceSegments',
      input,
      signal,
    });
  }
}

const subsegment = ({ name, fromMs, toMs }: Phase) => ({
  id: randomBytes(8).toString('hex'),
  name,
  start_time: fromMs / 1_000,
  end_time: Math.max(fromMs, toMs) / 1_000,
});

/** Undefined of a trace that X-Ray does not keep. */
function sampledTrace(
  header = '',
): { readonly root: string; readonly parent: string | undefined } | undefined {
  const root = /Root=(1-[0-9a-f]{8}-[0-9a-f]{24})/u.exec(header)?.[1];
  if (root === undefined || !/Sampled=1/u.test(header)) return undefined;
  return { root, parent: /Parent=([0-9a-f]{16})/u.exec(header)?.[1] };
}
