import type { ServerResponse } from 'node:http';
import type { SimAnswer } from './exchange.ts';
import type { Entry } from './journal.ts';
import type { Step } from './stream/frame.ts';

/** Resolves after `ms`; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Sends a response step by step. Never rejects: a client that disconnects ends it. */
export async function playSteps(
  answer: SimAnswer,
  entry: Entry,
  response: ServerResponse,
  sleep: Sleep,
): Promise<void> {
  const connection = new AbortController();
  response.once('close', () => {
    connection.abort();
    if (entry.ended === 'open') entry.ended = response.writableFinished ? 'whole' : 'gone';
  });
  try {
    if (answer.delayMs > 0) await sleep(answer.delayMs, connection.signal);
    if (answer.head) response.writeHead(answer.status, answer.headers);
    for (const step of answer.steps) await take(step, entry, response, sleep, connection.signal);
    response.end();
  } catch {
    response.destroy();
  }
}

async function take(
  step: Step,
  entry: Entry,
  response: ServerResponse,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (step.kind === 'bytes') return write(response, step.bytes, signal);
  if (step.kind === 'wait') return sleep(step.ms, signal);
  if (step.kind === 'silence') return silence(response, step.pingMs, sleep, signal);
  entry.ended = 'broken';
  // Written bytes must reach the client before the connection breaks.
  await new Promise((resolve) => setImmediate(resolve));
  throw new Error('cut');
}

/** Waits for a slow reader, but not for a disconnected one. */
async function write(response: ServerResponse, bytes: Buffer, signal: AbortSignal): Promise<void> {
  if (response.write(bytes)) return;
  await new Promise<void>((resolve, reject) => {
    const left = (): void => reject(new Error('gone'));
    signal.addEventListener('abort', left, { once: true });
    response.once('drain', () => {
      signal.removeEventListener('abort', left);
      resolve();
    });
  });
}

/** Ends only when the client, or the server, closes the connection. */
async function silence(
  response: ServerResponse,
  pingMs: number | undefined,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<void> {
  for (let every = pingMs ?? 0; every > 0; every = pingMs ?? 0) {
    await sleep(every, signal);
    response.write(': ping\n\n');
  }
  await new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('gone')), { once: true });
  });
}
