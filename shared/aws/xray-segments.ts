import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { AwsCall } from './aws-request.ts';
import { runInTrace } from '../runtime/index.ts';

/** A phase of a task, in ms since 1970. */
export type Phase = { readonly name: string; readonly fromMs: number; readonly toMs: number };
/** Searchable fields of a trace in X-Ray. Never content of people. */
export type Annotations = Readonly<Record<string, string | number | boolean | undefined>>;

/** Adds completed phases to the current task. */
export type NotePhases = (phases: readonly Phase[], annotations?: Annotations) => void;

/** Of a process that records no traces. */
export const noPhases: NotePhases = () => undefined;

type TaskNotes = { phases: readonly Phase[]; annotations: Annotations };

const PUT_TIMEOUT_MS = 2_000;

/**
 * X-Ray segments, one per task, in the trace of its message. A worker runs several tasks at a time and receives
 * some itself, so Lambda's own segment of the invocation does not show them. Sent directly to X-Ray, because
 * containers have no daemon; only for sampled traces.
 */
export class TaskSegments {
  readonly #name: string;
  readonly #aws: AwsCall;
  readonly #now: () => number;
  readonly #current = new AsyncLocalStorage<TaskNotes>();

  /** `name`: the service name in the X-Ray map: letters, digits, `_.:/%&#=+\-@` and spaces. */
  constructor(name: string, aws: AwsCall, now: () => number) {
    this.#name = name;
    this.#aws = aws;
    this.#now = now;
  }

  readonly note: NotePhases = (phases, annotations = {}) => {
    const notes = this.#current.getStore();
    if (!notes) return;
    notes.phases = [...notes.phases, ...phases];
    notes.annotations = { ...notes.annotations, ...annotations };
  };

  /**
   * Runs a task in its trace (an X-Ray header) and sends its segment. Messages that the task queues become
   * children of the segment. If the segment cannot be sent, it is lost; the task is not affected.
   */
  async record<T>(header: string | undefined, run: () => Promise<T>): Promise<T> {
    const trace = sampledTrace(header);
    if (!trace) return runInTrace(header, run);
    const id = randomBytes(8).toString('hex');
    const notes: TaskNotes = { phases: [], annotations: {} };
    const startMs = this.#now();
    let isFault = true;
    try {
      const own = `Root=${trace.root};Parent=${id};Sampled=1`;
      const result = await runInTrace(own, () => this.#current.run(notes, run));
      isFault = false;
      return result;
    } finally {
      await this.#put({
        id,
        name: this.#name,
        trace_id: trace.root,
        ...(trace.parent && { parent_id: trace.parent }),
        start_time: startMs / 1_000,
        end_time: this.#now() / 1_000,
        ...(isFault && { fault: isFault }),
        annotations: notes.annotations,
        subsegments: notes.phases.map(subsegment),
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

/** Undefined if the trace is not sampled. */
function sampledTrace(
  header = '',
): { readonly root: string; readonly parent: string | undefined } | undefined {
  const root = /Root=(1-[0-9a-f]{8}-[0-9a-f]{24})/u.exec(header)?.[1];
  if (root === undefined || !/Sampled=1/u.test(header)) return undefined;
  return { root, parent: /Parent=([0-9a-f]{16})/u.exec(header)?.[1] };
}
