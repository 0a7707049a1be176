import { Readable, Writable } from 'node:stream';
import * as v from 'valibot';

export type Json = Readonly<Record<string, unknown>>;

/** Chromium's debugging protocol, over two pipes: messages of JSON, with a zero byte after each. */
export type Connection = {
  /** Calls a method, of a tab if told its session. Rejects with what Chromium says, and after `close`. */
  readonly send: (method: string, params?: Json, session?: string) => Promise<Json>;
  /** Listens to the events of a session. The answer ends the listening. */
  onEvent(listener: (method: string, params: Json, session: string | undefined) => void): () => void;
  close(): void;
};

const json = v.record(v.string(), v.unknown());
const messageShape = v.object({
  id: v.optional(v.number()),
  method: v.optional(v.string()),
  params: v.optional(json),
  result: v.optional(json),
  error: v.optional(v.object({ message: v.string() })),
  sessionId: v.optional(v.string()),
});
type Message = v.InferOutput<typeof messageShape>;

type Waiting = {
  readonly method: string;
  readonly resolve: (result: Json) => void;
  readonly reject: (error: Error) => void;
};

export function connect(input: unknown, output: unknown): Connection {
  if (!(input instanceof Writable) || !(output instanceof Readable))
    throw new Error('Chromium has no debugging pipes');
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<Parameters<Connection['onEvent']>[0]>();
  let last = 0;
  let closed = false;
  const fail = (): void => {
    closed = true;
    for (const { method, reject } of waiting.values()) reject(new Error(`${method}: Chromium is gone`));
    waiting.clear();
  };
  const take = ({ id, method, params = {}, result = {}, error, sessionId }: Message): void => {
    const call = id === undefined ? undefined : waiting.get(id);
    if (id !== undefined) waiting.delete(id);
    if (error) call?.reject(new Error(`${call.method}: ${error.message}`));
    else call?.resolve(result);
    if (method !== undefined) for (const listener of listeners) listener(method, params, sessionId);
  };
  let rest = Buffer.alloc(0);
  output.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      take(v.parse(messageShape, JSON.parse(rest.toString('utf8', 0, end))));
      rest = rest.subarray(end + 1);
    }
  });
  output.on('close', fail);
  // Writing to a Chromium that has ended: `close` of the other pipe tells of it.
  input.on('error', () => undefined);
  return {
    async send(method, params = {}, session) {
      if (closed) throw new Error(`${method}: Chromium is gone`);
      last += 1;
      const id = last;
      const answer = new Promise<Json>((resolve, reject) => waiting.set(id, { method, resolve, reject }));
      const sessionId = session === undefined ? {} : { sessionId: session };
      input.write(`${JSON.stringify({ id, method, params, ...sessionId })}\0`);
      return answer;
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: fail,
  };
}
