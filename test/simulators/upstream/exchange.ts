import type { Chunk } from './stream/chunks.ts';
import type { Step } from './stream/frame.ts';

/** A request as it arrived. Header names are in lower case. */
export type SimRequest = {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: Buffer | string | undefined;
};

/** The response. `steps` are sent in order; `json` and `chunks` are its content before serialization. */
export type SimAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** ms before the first byte. */
  readonly delayMs: number;
  /** False: not even a status line is sent before the steps. */
  readonly head: boolean;
  readonly json?: unknown;
  readonly chunks?: readonly Chunk[] | undefined;
};

type Headers = Readonly<Record<string, string>>;

export function jsonAnswer(status: number, json: unknown, headers: Headers = {}): SimAnswer {
  return { ...bytesAnswer(status, 'application/json', Buffer.from(JSON.stringify(json)), headers), json };
}

export function bytesAnswer(status: number, type: string, bytes: Buffer, headers: Headers = {}): SimAnswer {
  const length = String(bytes.length);
  return {
    status,
    headers: { 'content-type': type, 'content-length': length, ...headers },
    steps: [{ kind: 'bytes', bytes }],
    delayMs: 0,
    head: true,
  };
}

export function streamAnswer(steps: readonly Step[], chunks: readonly Chunk[], headers: Headers): SimAnswer {
  const type = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { status: 200, headers: { ...type, ...headers }, steps, delayMs: 0, head: true, chunks };
}

/** The bytes of a response that is sent at once. */
export function bodyOf(answer: SimAnswer): string {
  return Buffer.concat(
    answer.steps.flatMap((step) => (step.kind === 'bytes' ? [step.bytes] : [])),
  ).toString();
}
