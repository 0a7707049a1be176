import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import * as v from 'valibot';
import { CompletionBuilder } from '../../shared/upstream/chat/completion-builder.ts';
import { createUpstream, TooLargeError } from '../../shared/upstream/index.ts';
import { createSseDecoder } from '../../shared/upstream/sse.ts';
import { systemTime } from '../../shared/runtime/time.ts';
import { pick } from '../simulators/upstream/test-client.ts';
import { prose } from './prose.ts';
import { percentile, type Row } from './report-table.ts';

const MIB = 1024 * 1024;
const DECODED = 4 * MIB;
const ROUNDS = 20;
/** An answer of some 300 words. */
const ANSWER = 60_000;

/** The cost of reading streams: decoding, a line without end, a completion compared with its bytes alone. */
export async function sse(): Promise<Row[]> {
  return [...endless(), ...(await decoding()), ...(await overhead())];
}

/** A stream of prose, word by word, as common servers write it. */
export function streamOf(bytes: number): Buffer {
  const head = '{"id":"chatcmpl-8wq2m4k1x7c9v3b5n6t0","object":"chat.completion.chunk","created":1700000000,';
  const one = (choices: string): string => `data: ${head}"model":"model-c","choices":[${choices}]}\n\n`;
  const words = prose(Math.ceil(bytes / 30), 7).split(/(?= )/u);
  const parts: string[] = [];
  for (let at = 0, size = 0; size < bytes; at += 1) {
    const delta = `{"content":${JSON.stringify(words[at % words.length])}}`;
    const part = one(`{"index":0,"delta":${delta},"finish_reason":null,"logprobs":null}`);
    parts.push(part);
    size += part.length;
  }
  parts.push(one('{"index":0,"delta":{},"finish_reason":"stop","logprobs":null}'), 'data: [DONE]\n\n');
  return Buffer.from(parts.join(''));
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

async function* arriving(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield chunk;
}

/** The text of a stream as the client reads it: one event per network chunk. Resolves with its length. */
export async function decodeStream(chunks: readonly Buffer[]): Promise<number> {
  const draft = new CompletionBuilder({ key: '', requestId: undefined, model: 'model-c', omitted: [] });
  const decoder = createSseDecoder((data, name) => {
    if (data !== '[DONE]') draft.addEvent(data, name);
  });
  let length = 0;
  for await (const chunk of arriving(chunks)) {
    decoder.feed(chunk);
    length += draft.takeDelta().text.length;
  }
  return length;
}

/** The same with the `openai` package, if it is installed. */
type Theirs = (chunks: readonly Buffer[]) => Promise<number>;

async function decoding(): Promise<Row[]> {
  const chunks = cut(streamOf(DECODED), 1_400);
  const theirs = await openai();
  let speed = 0;
  let other = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const mine = await timed(() => decodeStream(chunks));
    speed = Math.max(speed, mine.speed);
    if (theirs === undefined) continue;
    const read = await timed(() => theirs(chunks));
    if (read.length !== mine.length) throw new Error('the two readers differ');
    other = Math.max(other, read.speed);
  }
  const row: Row = { what: 'stream to events, 1,400 B chunks, best', value: speed, unit: 'MB/s', least: 100 };
  if (theirs === undefined) {
    console.error('sse: no comparison with openai; `npm run conformance:clients` installs it');
    return [row];
  }
  return [
    row,
    { what: 'the same by openai', value: other, unit: 'MB/s' },
    { what: 'ours by theirs', value: speed / other, unit: 'x', least: 3 },
  ];
}

/**
 * MB of stream per second. Other load on the machine only lowers it, so the best of several rounds is the most
 * accurate.
 */
async function timed(read: () => Promise<number>): Promise<{ speed: number; length: number }> {
  const start = performance.now();
  const length = await read();
  return { speed: DECODED / 1e6 / ((performance.now() - start) / 1000), length };
}

const streaming = v.object({
  Stream: v.custom<{
    fromSSEResponse(response: Response, controller: AbortController): AsyncIterable<unknown>;
  }>((value) => typeof value === 'function' && 'fromSSEResponse' in value),
});

async function openai(): Promise<Theirs | undefined> {
  const file = join(import.meta.dirname, '../conformance/clients/node_modules/openai/core/streaming.mjs');
  if (!existsSync(file)) return undefined;
  const { Stream } = v.parse(streaming, await import(file));
  return async (chunks) => {
    const body = ReadableStream.from(arriving(chunks));
    let length = 0;
    for await (const chunk of Stream.fromSSEResponse(new Response(body), new AbortController()))
      length += textOf(chunk).length;
    return length;
  };
}

function textOf(chunk: unknown): string {
  const text = pick(chunk, 'choices', 0, 'delta', 'content');
  return typeof text === 'string' ? text : '';
}

const heldBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Sends one line of 32 MB: it must be rejected long before its end, and little of it may be kept in memory. */
function endless(): Row[] {
  const block = Buffer.alloc(64 * 1024, 'x');
  const decoder = createSseDecoder(() => undefined);
  const before = heldBytes();
  let largest = 0;
  let fed = 0;
  try {
    decoder.feed(Buffer.from('data: '));
    for (; fed < 32 * MIB; fed += block.length) {
      decoder.feed(block);
      largest = Math.max(largest, heldBytes() - before);
    }
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return [
      { what: 'a line of 32 MB: refused after', value: fed / MIB, unit: 'MB', limit: 9 },
      { what: 'a line of 32 MB: memory', value: largest / MIB, unit: 'MB', limit: 64 },
    ];
  }
  throw new Error('a line of 32 MB was taken');
}

/** Streamed completions compared with `undici.request` of the same bytes from the same server, interleaved. */
async function overhead(): Promise<Row[]> {
  const body = streamOf(ANSWER);
  const server = new Worker(SERVER, { eval: true, workerData: body });
  const port = await new Promise<unknown>((resolve) => server.once('message', resolve));
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  const upstream = createUpstream({
    baseUrl,
    apiKey: () => Promise.resolve('sk-bench'),
    time: systemTime,
    random: Math.random,
  });
  const agent = new Agent();
  const complete = async (how: string): Promise<void> => {
    const messages = [{ role: 'user', content: how }] as const;
    for await (const event of upstream.chat.stream({ model: 'model-c', messages }))
      if (event.type === 'end' && event.finish !== 'stop') throw new Error('the answer is not whole');
  };
  const fetchBytes = async (how: string): Promise<void> => {
    const answer = await request(`${baseUrl}/v1/chat/completions`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
      body: JSON.stringify({ model: 'model-c', messages: [{ role: 'user', content: how }], stream: true }),
    });
    let size = 0;
    answer.body.on('data', (chunk: Buffer) => (size += chunk.length));
    await once(answer.body, 'end');
    if (size !== body.length) throw new Error('the server did not send all');
  };
  try {
    const what = 'a completion by its bytes alone';
    const paced = await ratio(complete, fetchBytes, 'paced', 8);
    const words = await ratio(complete, fetchBytes, 'word by word', 200);
    const together = await ratio(complete, fetchBytes, 'at once', 200);
    return [
      { what: `${what}, 1,000 words/s`, value: paced, unit: 'x', limit: 1.15 },
      { what: `${what}, words without a pause`, value: words, unit: 'x' },
      { what: `${what}, all in one piece`, value: together, unit: 'x' },
    ];
  } finally {
    await Promise.all([upstream.close(), agent.destroy(), server.terminate()]);
  }
}

type Call = (how: string) => Promise<void>;

async function ratio(mine: Call, bare: Call, how: string, calls: number): Promise<number> {
  const times: Record<'mine' | 'bare', number[]> = { mine: [], bare: [] };
  for (let call = 0; call < calls; call += 1) {
    const start = performance.now();
    await mine(how);
    const middle = performance.now();
    await bare(how);
    if (call < calls / 4) continue;
    times.mine.push(middle - start);
    times.bare.push(performance.now() - middle);
  }
  // Other load on the machine only makes requests slower, so the fastest ones are the most accurate.
  return percentile(times.mine, 0.1) / percentile(times.bare, 0.1);
}

/**
 * Sends the same bytes to each request, from a thread of its own: a word per ms, as a fast model; word by word
 * without a pause; or in one chunk.
 */
const SERVER = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const whole = Buffer.from(workerData);
const events = whole.toString().split(/(?<=\\n\\n)/u);
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (body.includes('at once')) return response.end(whole);
    let at = 0;
    const next = () => {
      if (at === events.length) return response.end();
      response.write(events[at++]);
      body.includes('paced') ? setTimeout(next, 1) : setImmediate(next);
    };
    next();
  });
});
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;
