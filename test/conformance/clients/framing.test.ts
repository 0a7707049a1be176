import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  startUpstreamSimulator,
  type StreamShape,
  type UpstreamSimulator,
} from '../../simulators/upstream/index.ts';
import { CLIENTS } from './clients.ts';

let sim: UpstreamSimulator;
beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0, limits: { chat: { perMinute: 60_000, burst: 1000 } } });
});
afterEach(() => sim.reset());
afterAll(async () => sim.close());

/** Forms of a stream that every common client accepts. */
const ACCEPTED: Readonly<Record<string, StreamShape>> = {
  'as it comes': {},
  'CR LF': { newline: 'crlf' },
  CR: { newline: 'cr' },
  'all three line ends': { newline: 'mixed' },
  'one byte at a time': { split: 1 },
  'characters cut in two': { split: 5 },
  'a byte order mark': { bom: true },
  'comments between events': { comments: 'blocks' },
  'comments within events': { comments: 'inside' },
  'no blank after the colon': { data: 'no-blank' },
  'events over two lines': { data: 'multiline' },
  'id, event and retry fields': { fields: true },
  'no end mark': { done: 'no' },
  'an end mark without its line end': { done: 'open' },
  'usage with the finish': { usage: 'finish' },
  'usage on each event': { usage: 'every' },
  'no usage': { usage: 'none' },
  'another finish reason': { finish: 'eos_token' },
  'a role late': { role: 'late' },
};

const TEXT = 'Grüße 👋, one two';

describe.each(Object.entries(CLIENTS))('%s reads a stream with', (_, readText) => {
  test.each(Object.entries(ACCEPTED))('%s', async (_how, shape) => {
    sim.control.change({ shape });
    for (const model of ['model-c', 'model-b'])
      expect(await readText(sim, model, `[[sim:say=${TEXT}]]`)).toBe(TEXT);
  });
});

/** Incomplete streams. Some common clients accept the part as complete; this one must not. */
describe('the client reports a stream with its text so far when the stream', () => {
  test.each(['cut', 'eof', 'error-event', 'malformed'] as const)('has %s', async (kind) => {
    sim.control.addFault({ fault: { kind, after: 3 } });
    const own = CLIENTS['this project'];
    await expect(own?.(sim, 'model-c', `[[sim:say=${TEXT}]]`)).rejects.toMatchObject({
      partialText: expect.any(String),
    });
  });
});
