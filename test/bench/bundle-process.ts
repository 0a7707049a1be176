/**
 * Replaces the bundle of a function: runs the bundle in a process of its own, whose memory and processor time can be
 * measured. Bundled, the same file is the function that the engine loads and, as `node index.js BUNDLE`, that
 * process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import * as v from 'valibot';
import { withTls } from './tls.ts';

type Context = { readonly getRemainingTimeInMillis: () => number };
type Handler = (event: unknown, context: Context) => Promise<unknown>;

const Bundle = v.object({ handler: v.custom<Handler>((it) => typeof it === 'function') });
const Call = v.object({ id: v.number(), event: v.optional(v.unknown()), deadline: v.number() });
const Said = v.object({ id: v.number(), answer: v.optional(v.unknown()), error: v.optional(v.string()) });
const Given = v.object({
  bundle: v.string(),
  flags: v.array(v.string()),
  certificates: v.optional(v.object({ root: v.string(), chain: v.string(), key: v.string() })),
});

const say = (message: object): void => void process.send?.(message);

/** Runs the handler of a bundle for each invocation that arrives as a message. */
async function run(bundle: string): Promise<void> {
  const { handler: act } = v.parse(Bundle, await import(pathToFileURL(bundle).href));
  process.on('message', (message) => {
    const { id, event, deadline } = v.parse(Call, message);
    act(event, { getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()) }).then(
      (answer) => say({ id, answer }),
      (error: unknown) => say({ id, error: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
}

/** Starts that process, and forwards invocations to it. */
function proxy(): Handler {
  const { bundle, flags, certificates } = v.parse(
    Given,
    JSON.parse(readFileSync(join(__dirname, 'own-process.json'), 'utf8')),
  );
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const started = (certificates ? withTls(process.env, certificates) : Promise.resolve(process.env)).then(
    (env) => start(bundle, flags, env, waiting),
  );
  let calls = 0;
  return async (event, { getRemainingTimeInMillis }) => {
    const child = await started;
    const id = (calls += 1);
    const call = Promise.withResolvers<unknown>();
    waiting.set(id, call);
    child.send({ id, event, deadline: Date.now() + getRemainingTimeInMillis() });
    return call.promise;
  };
}

function start(
  bundle: string,
  flags: string[],
  env: Record<string, string | undefined>,
  waiting: Map<number, PromiseWithResolvers<unknown>>,
): ChildProcess {
  const child = fork(__filename, [bundle], { execArgv: flags, env, silent: true });
  // To the log of the function.
  child.stdout?.pipe(process.stdout);
  child.stderr?.pipe(process.stderr);
  writeFileSync(join(__dirname, 'pid'), String(child.pid));
  child.on('message', (message) => {
    const { id, answer, error } = v.parse(Said, message);
    if (error === undefined) waiting.get(id)?.resolve(answer);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  process.on('exit', () => child.kill());
  return child;
}

/** The engine loads it in a thread. */
export const handler: Handler | undefined = isMainThread ? undefined : proxy();
if (isMainThread) void run(process.argv[2] ?? '');
