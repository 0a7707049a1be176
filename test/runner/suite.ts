import * as fc from 'fast-check';
import circus from 'jest-circus/runner';
import type * as JestRuntime from 'jest-runtime';
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { startRecording } from '../mutants/coverage.ts';
import { enter } from './globals.ts';

/** Properties try the same cases in each run, so that a run says something of the change. `PARLEY_SEED` has them try others. */
const SEED = 20_261_123;
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['PARLEY_SEED'] ?? SEED) });

/** Frames of the stack of an error. jest takes a hundred, for each of the many errors and expectations of a simulation. */
const MAX_FRAMES = 12;

const GLOBALS = new URL('globals.ts', import.meta.url).href;
const require = createRequire(import.meta.url);

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
});

const recordTo = process.env['PARLEY_COVERED_TO'];
const record = recordTo === undefined ? undefined : startRecording(recordTo);

/** Loads the part of jest that holds what a suite declares, without what the suite before declared. */
const anew: JestRuntime.default['requireInternalModule'] = (path) => {
  Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
  Reflect.deleteProperty(require.cache, path);
  // oxlint-disable-next-line typescript/no-unsafe-return -- jest's own file, whose shape it knows
  return require(path);
};

/** Milliseconds of processor time that this process used, and its child processes that have ended. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000) + childrenMs();
}

/** `cutime` and `cstime` of proc_pid_stat(5), in hundredths of a second. Other systems tell a process nothing of its children. */
function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  // The second field is a name in parentheses, which may contain spaces.
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /su, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** As jest runs a suite, but for how its files are loaded: by Node, in the one world that this process has. */
const run: typeof circus.default = async (globalConfig, config, environment, runtime, ...rest) => {
  runtime.requireInternalModule = anew;
  runtime.unstable_shouldLoadAsEsm = () => true;
  runtime.unstable_importModule = async (path): Promise<unknown> => await import(pathToFileURL(path).href);
  const setGlobals = runtime.setGlobalsForRuntime.bind(runtime);
  runtime.setGlobalsForRuntime = (globals) => {
    setGlobals(globals);
    enter(runtime.requireModuleOrMock(import.meta.filename, '@jest/globals'));
  };
  Error.stackTraceLimit = MAX_FRAMES;
  const runIt = async (): ReturnType<typeof circus.default> => {
    const before = processorMs();
    const result = await circus.default(globalConfig, config, environment, runtime, ...rest);
    // For the reporter (slowest.ts).
    return Object.assign(result, { processorMs: processorMs() - before });
  };
  return record === undefined ? await runIt() : await record(rest[0], runIt);
};
export default run;
