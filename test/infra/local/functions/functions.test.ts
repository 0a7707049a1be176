import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type FunctionLoadReport,
  LOAD_ERROR_TYPE,
  LocalFunction,
  type LocalFunctionOptions,
  TIMEOUT_ERROR_TYPE,
} from '../../../../infra/local/functions/functions.ts';
import { openLogs } from '../../../../infra/local/functions/logs.ts';
import { scratch } from '../sample-template.ts';

let folder: ReturnType<typeof scratch>;
let functions: LocalFunction[] = [];
const lines: string[] = [];

beforeEach(() => {
  folder = scratch();
  lines.length = 0;
});
afterEach(async () => {
  await Promise.all(functions.splice(0).map((one) => one.close(0)));
  folder.remove();
});

function make(
  source: string,
  more: { env?: Record<string, string>; timeoutMs?: number; file?: string } = {},
  options: LocalFunctionOptions = {},
): LocalFunction {
  const name = `f${functions.length}`;
  const directory = join(folder.directory, name);
  mkdirSync(directory);
  writeFileSync(join(directory, more.file ?? 'index.js'), source);
  const { env = {}, timeoutMs = 5000 } = more;
  const spec = {
    logicalId: name,
    name,
    arn: `arn:${name}`,
    directory,
    handler: 'index.handler',
    timeoutMs,
    memoryMb: 128,
    role: 'Role',
    env,
  };
  const one = new LocalFunction(
    spec,
    openLogs(join(folder.directory, 'logs'), (line) => lines.push(line)).of(name),
    options,
  );
  functions.push(one);
  return one;
}

const json = (outcome: Awaited<ReturnType<LocalFunction['invoke']>>): unknown =>
  outcome.kind === 'answer' ? JSON.parse(outcome.payload) : outcome;

/** A bundle whose process ends while it loads, so many times. */
const endsWhileLoading = (times: number): string =>
  `const fs = require('node:fs'); const file = __dirname + '/loads';
    fs.appendFileSync(file, 'x'); if (fs.readFileSync(file).length <= ${times}) process.exit(1);
    exports.handler = async () => fs.readFileSync(file).length;`;

/** A clock that only pauses advance, and what was reported. */
function pauses() {
  let time = 0;
  const [waits, reports]: [number[], FunctionLoadReport[]] = [[], []];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    time += ms;
    return Promise.resolve();
  };
  const report = (one: FunctionLoadReport): void => void reports.push(one);
  return { waits, reports, advance: wait, options: { now: () => time, wait, report } };
}

describe('a function', () => {
  test('runs the bundle with its own environment only', async () => {
    process.env['PARLEY_LEAK'] = 'yes';
    const source = `exports.handler = async () => { process.env.SEEN = (process.env.SEEN ?? '') + 'x'; return { ...process.env }; };`;
    const [one, two] = [make(source, { env: { A: '1' } }), make(source, { env: { A: '2' } })];
    expect(json(await one.invoke({}))).toEqual({ A: '1', SEEN: 'x' });
    expect(json(await one.invoke({}))).toEqual({ A: '1', SEEN: 'xx' });
    expect(json(await two.invoke({}))).toEqual({ A: '2', SEEN: 'x' });
    delete process.env['PARLEY_LEAK'];
    expect(process.env['SEEN']).toBeUndefined();
  });

  test('gets the event as JSON and a context as on Lambda', async () => {
    const one =
      make(`exports.handler = async (event, context) => ({ event, name: context.functionName, id: context.awsRequestId.length,
      left: context.getRemainingTimeInMillis() > 4000, arn: context.invokedFunctionArn });`);
    expect(json(await one.invoke({ at: new Date(0), gone: undefined }))).toEqual({
      event: { at: '1970-01-01T00:00:00.000Z' },
      name: 'f0',
      id: 36,
      left: true,
      arn: 'arn:f0',
    });
  });

  test('may be an ES module, and an undefined response becomes null', async () => {
    const one = make('export const handler = async () => {};', { file: 'index.mjs' });
    expect(await one.invoke({})).toMatchObject({ kind: 'answer', payload: 'null' });
  });

  test('handles several events at a time', async () => {
    // Each waits for the other, so sequential execution would never end.
    const one = make(`let waiting; exports.handler = (event) => new Promise((done) => {
      if (waiting) { waiting(event.n); done(event.n); } else waiting = done; });`);
    const answers = await Promise.all([one.invoke({ n: 1 }), one.invoke({ n: 2 })]);
    expect(answers.map(json)).toEqual([2, 2]);
  });

  test('that throws is reported with type and message, and logged with its stack', async () => {
    const one = make(
      `exports.handler = async () => { console.log('before'); throw new TypeError('broken'); };`,
    );
    expect(await one.invoke({})).toMatchObject({ kind: 'failed', errorType: 'TypeError', message: 'broken' });
    await one.close(0);
    const log = readFileSync(join(folder.directory, 'logs', 'f0.log'), 'utf8');
    expect(log).toContain('before');
    expect(log).toContain('TypeError: broken');
    expect(lines[0]).toBe('f0 | before');
  });

  test.each([
    ['process.exit(1)', 'Its process ended'],
    ['setImmediate(() => { throw new Error("late"); }); await new Promise(() => {})', 'late'],
    ['void Promise.reject(new Error("nobody caught")); await new Promise(() => {})', 'nobody caught'],
  ])(
    'that crashes (%s) fails the running events, and the next event gets a new thread',
    async (crash, message) => {
      const one = make(
        `let count = 0; exports.handler = async (event) => { count += 1; if (event.crash) { ${crash} } return count; };`,
      );
      expect(json(await one.invoke({}))).toBe(1);
      expect(await one.invoke({ crash: true })).toMatchObject({
        kind: 'failed',
        errorType: 'Runtime.ExitError',
        message: expect.stringContaining(message),
      });
      expect(json(await one.invoke({}))).toBe(1);
    },
  );

  test('that times out fails the event; other events of the thread finish, new ones get a new thread', async () => {
    const one = make(
      `let count = 0, release; exports.handler = async (event) => { count += 1;
        if (event.hang) { if (event.spin) for (;;); await new Promise(() => {}); }
        if (event.wait) await new Promise((done) => { release = done; });
        if (event.release) release();
        return count; };`,
      { timeoutMs: 300 },
    );
    await one.warm();
    const hanging = one.invoke({ hang: true });
    expect(await hanging).toMatchObject({
      kind: 'failed',
      errorType: TIMEOUT_ERROR_TYPE,
      message: expect.stringContaining('0.30 seconds'),
    });
    expect(json(await one.invoke({}))).toBe(1);
    expect(await one.invoke({ hang: true, spin: true })).toMatchObject({ errorType: TIMEOUT_ERROR_TYPE });
    expect(json(await one.invoke({}))).toBe(1);
  });

  test('that cannot be loaded is reported at the start and for each event', async () => {
    const { waits, reports, options } = pauses();
    const broken = make('throw new Error("no such setting");', {}, options);
    await expect(broken.warm()).rejects.toThrow('no such setting');
    expect([waits, reports]).toEqual([[], []]);
    expect(await broken.invoke({})).toMatchObject({ errorType: LOAD_ERROR_TYPE });
    const unnamed = make('exports.other = 1;');
    await expect(unnamed.warm()).rejects.toThrow('index.handler is undefined or not exported');
  });

  test('is unloaded when it is idle, and loaded again by the next event', async () => {
    const one = make(
      `let count = 0; exports.handler = (event) => new Promise((done) => setTimeout(done, event.ms ?? 0, (count += 1)));`,
    );
    expect(json(await one.invoke({}))).toBe(1);
    const running = one.invoke({ ms: 100 });
    await one.unload();
    expect(json(await running)).toBe(2);
    await one.unload();
    expect(json(await one.invoke({}))).toBe(1);
  });

  test('is unloaded after one event, unless another event is running', async () => {
    const one = make(
      `let count = 0; exports.handler = (event) => new Promise((done) => setTimeout(done, event.ms ?? 0, (count += 1)));`,
    );
    expect(json(await one.invokeOnce({}))).toBe(1);
    expect(json(await one.invoke({}))).toBe(1);
    const running = one.invoke({ ms: 100 });
    expect(json(await one.invokeOnce({}))).toBe(3);
    expect(json(await running)).toBe(2);
    expect(json(await one.invoke({}))).toBe(4);
  });

  test('that ends during its start is started once more within the invocation, as Lambda does', async () => {
    const source = `const fs = require('node:fs'); const seen = __dirname + '/seen';
      if (!fs.existsSync(seen)) { fs.writeFileSync(seen, ''); process.exit(1); }
      exports.handler = async () => 'begun';`;
    expect(json(await make(source).invoke({}))).toBe('begun');
    await expect(make(source).warm()).resolves.toBeUndefined();
  });

  test('that ends twice while it loads is started again after a pause; events fail at once until then', async () => {
    const { reports, advance, options } = pauses();
    const one = make(endsWhileLoading(4), {}, options);
    const failed = { kind: 'failed', errorType: LOAD_ERROR_TYPE };
    // Two events wait for the same threads, so that the failure counts once.
    expect(await Promise.all([one.invoke({}), one.invoke({})])).toMatchObject([failed, failed]);
    expect(one.pauseMs).toBe(1_000);
    expect(await one.invoke({})).toMatchObject(failed);
    await advance(1_000);
    expect(await one.invoke({})).toMatchObject(failed);
    expect(one.pauseMs).toBe(2_000);
    await advance(2_000);
    expect(json(await one.invoke({}))).toBe(5);
    expect(one.pauseMs).toBe(0);
    const reason = 'Its process ended';
    expect(reports).toEqual([
      { kind: 'failed', reason, pauseMs: 1_000 },
      { kind: 'failed', reason, pauseMs: 2_000 },
      { kind: 'loaded' },
    ]);
  });

  test('that is started for the second time is not started once more for an event that arrives meanwhile', async () => {
    const { options } = pauses();
    const source = `const fs = require('node:fs'); const file = (name) => __dirname + '/' + name;
      fs.appendFileSync(file('loads'), 'x');
      while (fs.readFileSync(file('loads')).length === 2 && !fs.existsSync(file('go'))); process.exit(1);`;
    const one = make(source, {}, options);
    const loads = (): string => readFileSync(join(one.spec.directory, 'loads'), 'utf8');
    const first = one.invoke({});
    while (!existsSync(join(one.spec.directory, 'loads')) || loads().length < 2) await setImmediate();
    const second = one.invoke({});
    writeFileSync(join(one.spec.directory, 'go'), '');
    expect(await Promise.all([first, second])).toMatchObject([
      { errorType: LOAD_ERROR_TYPE },
      { errorType: LOAD_ERROR_TYPE },
    ]);
    expect([loads(), one.pauseMs]).toEqual(['xx', 1_000]);
  });

  test('that ends while it loads is loaded after pauses before the first event, or given up after five', async () => {
    const few = pauses();
    await make(endsWhileLoading(5), {}, few.options).warm();
    expect(few.waits).toEqual([1_000, 2_000]);
    const many = pauses();
    await expect(make(endsWhileLoading(99), {}, many.options).warm()).rejects.toThrow('Its process ended');
    expect(many.waits).toEqual([1_000, 2_000, 4_000, 8_000]);
    // Not the fifth failure, after which nothing is started again.
    expect(many.reports).toHaveLength(4);
  });

  test('that is closed while it loads for the second time is not reported', async () => {
    const { reports, options } = pauses();
    const source = `const fs = require('node:fs'); const file = __dirname + '/loads';
      fs.appendFileSync(file, 'x'); if (fs.readFileSync(file).length === 1) process.exit(1); for (;;);`;
    const one = make(source, {}, options);
    const loads = join(one.spec.directory, 'loads');
    const running = one.invoke({});
    while (!existsSync(loads) || readFileSync(loads, 'utf8').length < 2) await setImmediate();
    await one.close(0);
    expect([await running, reports]).toMatchObject([{ errorType: LOAD_ERROR_TYPE }, []]);
  });

  test('ends after its running events, within a time limit', async () => {
    const one = make(
      `exports.handler = (event) => new Promise((done) => event.ms && setTimeout(done, event.ms, 'done'));`,
    );
    await one.warm();
    const [short, endless] = [one.invoke({ ms: 100 }), one.invoke({})];
    await one.close(400);
    expect(json(await short)).toBe('done');
    expect(await endless).toMatchObject({ kind: 'failed', errorType: 'Runtime.ExitError' });
  });
});
