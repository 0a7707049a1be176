/**
 * Runs inside a function's thread: loads the deployed bundle and runs its handler for each call, several at a
 * time. Everything the bundle writes to stdout and stderr goes to the function's log.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { Call, ThreadMessage, ThreadStart } from './thread-messages.ts';

type Handler = (event: unknown, context: object) => unknown;

const port = parentPort;
if (port === null) throw new Error('This file runs as a worker thread only');
// eslint-disable-next-line typescript/no-unsafe-assignment -- the engine alone starts this thread
const start: ThreadStart = workerData;

const say = (message: ThreadMessage) => port.postMessage(message);
const handler = await loadHandler(start);
port.on('message', (call: Call) => {
  void run(call);
});
say({ kind: 'ready' });

async function run(call: Call): Promise<void> {
  try {
    const event: unknown = JSON.parse(call.event);
    const result: unknown = await handler(event, contextOf(call));
    say({ kind: 'answer', id: call.id, payload: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    console.error(
      JSON.stringify({ level: 'ERROR', requestId: call.id, error: failure.stack ?? failure.message }),
    );
    say({ kind: 'failed', id: call.id, errorType: failure.name, message: failure.message });
  }
}

function contextOf(call: Call): object {
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

/** `.js` is CommonJS and `.mjs` a module, as Lambda takes them where no package.json says otherwise. */
async function loadHandler({ directory, handler: name }: ThreadStart): Promise<Handler> {
  const dot = name.lastIndexOf('.');
  const file = join(directory, name.slice(0, dot));
  const loaded: unknown = existsSync(`${file}.mjs`)
    ? await import(pathToFileURL(`${file}.mjs`).href)
    : createRequire(import.meta.url)(existsSync(`${file}.cjs`) ? `${file}.cjs` : `${file}.js`);
  const exported: unknown = isRecord(loaded) ? loaded[name.slice(dot + 1)] : undefined;
  if (!isHandler(exported)) throw new Error(`${name} is undefined or not exported by the bundle`);
  return exported;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}
