import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createUpstream, type Upstream } from '../index.ts';

export type Example = {
  readonly upstream: Upstream;
  readonly model: string;
  /** The command line arguments without the options. */
  readonly words: readonly string[];
};

/** Creates a client from the command line: `--base URL --vision URL --key KEY --model ID words …`. */
export function createFromCommandLine(): Example {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      base: { type: 'string', default: 'http://127.0.0.1:4000' },
      vision: { type: 'string' },
      key: { type: 'string', default: '' },
      model: { type: 'string', default: 'model-a' },
    },
  });
  const upstream = createUpstream({
    baseUrl: values.base,
    visionUrl: values.vision,
    apiKey: () => Promise.resolve(values.key),
    time: { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}) },
    random: Math.random,
    fitToModel: true,
  });
  return { upstream, model: values.model, words: positionals };
}
