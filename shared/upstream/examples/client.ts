import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createUpstream, type Upstream } from '../index.ts';

export type Example = {
  readonly upstream: Upstream;
  readonly model: string;
  /** What stands on the command line beside the options. */
  readonly words: readonly string[];
};

/** A client as the command line asks for it: `--base URL --vision URL --key KEY --model ID words …`. */
export function fromCommandLine(): Example {
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
