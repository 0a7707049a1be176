// @ts-check
/**
 * Runs inside a function's thread: loads the deployed bundle and runs its handler for each call, several concurrently. The
 * bundle's stdout and stderr go to the function's log.
 *
 * Types are in comments, because type stripping in each of the ten threads would take a quarter of their start time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { InvocationMessage, ThreadMessage, ThreadStart } from './thread-messages.ts' */
/** @typedef {(event: unknown, ...more: object[]) => unknown} Handler */

/** The trace of the invocation. Lambda sets the variable for one invocation at a time; here several share a thread. */
/** @type {AsyncLocalStorage<string>} */
const traces = new AsyncLocalStorage();
process.env = new Proxy(process.env, {
  get(env, name) {
    if (name === '_X_AMZN_TRACE_ID') return traces.getStore();
    return typeof name === 'string' ? env[name] : undefined;
  },
  set: (env, name, value) => Reflect.set(env, name, value),
});

/** Marks handlers that write their response to a stream. */
const STREAMS = Symbol.for('aws.lambda.runtime.handler.streaming');

// What Lambda's Node runtime provides to such handlers.
Reflect.set(globalThis, 'awslambda', {
  /** @param {object} handle */
  streamifyResponse: (handle) => Object.assign(handle, { [STREAMS]: 'response' }),
  HttpResponseStream: {
    /**
     * Sends the head before the body.
     * @param {Writable} stream
     * @param {object} head
     */
    from(stream, head) {
      stream.write(`${JSON.stringify(head)}${'\0'.repeat(8)}`);
      return stream;
    },
  },
});

const port = parentPort;
if (port === null) throw new Error('This file runs as a worker thread only');
// eslint-disable-next-line typescript/no-unsafe-type-assertion -- the engine alone starts this thread
const start = /** @type {ThreadStart} */ (workerData);

/** @param {ThreadMessage} message */
const say = (message) => port.postMessage(message);
// Next to the bundles, so that it is deleted with them.
enableCompileCache(join(start.directory, '..', 'compiled'));
const handler = await loadHandler(start);
port.on('message', (/** @type {InvocationMessage} */ call) => {
  void traces.run(createTrace(call), () => run(call));
});
say({ kind: 'ready' });

/** @param {InvocationMessage} call */
async function run(call) {
  try {
    /** @type {unknown} */
    const event = JSON.parse(call.event);
    const result =
      STREAMS in handler ? await runStreamed(event, call) : await handler(event, createContext(call));
    say({ kind: 'answer', id: call.id, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    console.error(
      JSON.stringify({ level: 'ERROR', requestId: call.id, error: failure.stack ?? failure.message }),
    );
    say({ kind: 'failed', id: call.id, errorType: failure.name, message: failure.message });
  }
}

/**
 * Runs a handler that streams. Each write is a message.
 * @param {unknown} event
 * @param {InvocationMessage} call
 */
async function runStreamed(event, call) {
  const stream = new Writable({
    decodeStrings: true,
    /** @param {Buffer} chunk */
    write(chunk, _encoding, done) {
      say({ kind: 'part', id: call.id, bytes: new Uint8Array(chunk) });
      done();
    },
  });
  await handler(event, stream, createContext(call));
  return null;
}

/**
 * Formats a trace header like Lambda. The id of a call is a UUID.
 * @param {InvocationMessage} call
 */
function createTrace({ id }) {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  return `Root=1-${seconds}-${id.replaceAll('-', '').slice(0, 24)};Parent=${id.slice(0, 8)}${id.slice(0, 8)};Sampled=${start.isTraced ? 1 : 0}`;
}

/** @param {InvocationMessage} call */
function createContext(call) {
  return {
    awsRequestId: call.id,
    functionName: start.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: start.functionArn,
    memoryLimitInMB: String(start.memoryMb),
    logGroupName: `/aws/lambda/${start.functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, call.deadline - Date.now()),
  };
}

/**
 * Like Lambda, loads `.js` as CommonJS and `.mjs` as a module, unless a package.json says otherwise.
 * @param {ThreadStart} start
 * @returns {Promise<Handler>}
 */
async function loadHandler({ directory, handler: name }) {
  const dot = name.lastIndexOf('.');
  const file = join(directory, name.slice(0, dot));
  /** @type {unknown} */
  const loaded = existsSync(`${file}.mjs`)
    ? await import(pathToFileURL(`${file}.mjs`).href)
    : createRequire(import.meta.url)(existsSync(`${file}.cjs`) ? `${file}.cjs` : `${file}.js`);
  const exported = isRecord(loaded) ? loaded[name.slice(dot + 1)] : undefined;
  if (!isHandler(exported)) throw new Error(`${name} is undefined or not exported by the bundle`);
  return exported;
}

/**
 * @param {unknown} value
 * @returns {value is Readonly<Record<string, unknown>>}
 */
function isRecord(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * @param {unknown} value
 * @returns {value is Handler}
 */
function isHandler(value) {
  return typeof value === 'function';
}
