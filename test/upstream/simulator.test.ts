import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createUpstream, type Upstream, type UpstreamConfig } from '../../shared/upstream/index.ts';
import { startUpstreamSimulator, type UpstreamSimulator } from '../simulators/upstream/index.ts';
import { tonesWav } from './recording.ts';
import { readResponse, textOf } from './raw-server-harness.ts';

let sim: UpstreamSimulator;
let upstream: Upstream;

function client(config: Partial<UpstreamConfig> = {}): Upstream {
  return createUpstream({
    baseUrl: sim.baseUrl,
    visionUrl: sim.visionUrl,
    apiKey: () => Promise.resolve(sim.apiKey),
    time: { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}) },
    random: () => 0,
    fitToModel: true,
    ...config,
  });
}

beforeAll(async () => {
  sim = await startUpstreamSimulator({ paceMs: 0, profile: 'strict' });
  upstream = client();
});
beforeEach(() => sim.reset());
afterAll(async () => {
  await upstream.close();
  await sim.close();
});

const ask = (content: string, model = 'model-a') => ({
  model,
  messages: [{ role: 'user', content }] as const,
});

describe('against a service that follows the documentation exactly', () => {
  test('a stream is complete, with its usage, checkpoint and rate limits', async () => {
    const limits: (number | undefined)[] = [];
    const options = { onRateLimit: ({ limit }: { limit?: number | undefined }) => limits.push(limit) };
    const response = await readResponse(upstream.chat.stream(ask('[[sim:say=Hello there]]'), options));
    expect(response.error).toBeUndefined();
    expect(textOf(response)).toBe('Hello there');
    expect(response.end).toMatchObject({
      finish: 'stop',
      streamed: true,
      requestId: expect.any(String),
      weightVersion: expect.any(String),
    });
    expect(response.end?.usage?.promptTokens).toBeGreaterThan(0);
    expect(limits).toEqual([120]);
  });

  test('reasoning is separate from the answer', async () => {
    const response = await readResponse(upstream.chat.stream(ask('[[sim:reasoning=20]][[sim:say=Yes]]')));
    expect(textOf(response, 'reasoning').length).toBeGreaterThan(20);
    expect(response.end).toMatchObject({ text: 'Yes', usage: { reasoningTokens: 20 } });
  });

  test('unsupported fields are left out, so that no request is rejected', async () => {
    const request = {
      ...ask('[[sim:say=ok]]', 'vendor-flash-3'),
      minP: 0.1,
      seed: 1,
      logitBias: { '1': 1 },
      tools: [{ name: 'f' }],
      logprobs: true,
    };
    const { text, omitted } = await upstream.chat.complete(request);
    expect(text).toBe('ok');
    expect(omitted).toEqual(['min_p', 'logit_bias', 'tools', 'logprobs']);
  });

  test.each(['current', 'legacy'] as const)(
    'tools are called and answered in the %s shape',
    async (shape) => {
      const own = client({ shape });
      const model = shape === 'legacy' ? 'vendor-flash' : 'model-a';
      const tools = [
        {
          name: 'get_weather',
          description: 'Weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      ];
      const messages = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is the weather in Oslo?' },
      ] as const;
      const first = await own.chat.complete({ model, messages, tools, toolChoice: 'required' });
      expect(first.toolCalls).toHaveLength(1);
      expect(JSON.parse(first.toolCalls[0]?.arguments ?? '')).toHaveProperty('city');
      const answers = first.toolCalls.map(
        ({ id }) => ({ role: 'tool', toolCallId: id, content: 'rain' }) as const,
      );
      const called = { role: 'assistant', content: null, toolCalls: first.toolCalls } as const;
      const response = await readResponse(
        own.chat.stream({ model, messages: [...messages, called, ...answers], tools }),
      );
      expect(response.error).toBeUndefined();
      expect(response.end?.text).not.toBe('');
      await own.close();
    },
  );

  test('a structured answer fits, and one that does not is repaired', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, people: { type: 'integer' } },
      required: ['city', 'people'],
    };
    const request = { ...ask('Oslo?'), name: 'city', schema };
    expect((await upstream.chat.structured(request)).value).toEqual({
      city: expect.any(String),
      people: expect.any(Number),
    });
    sim.control.fail({ kind: 'say', text: '{"city":7}' });
    expect((await upstream.chat.structured(request)).completions).toHaveLength(2);
  });

  test('a model at capacity is skipped; the key’s own limit is waited for', async () => {
    sim.control.fail({ kind: 'capacity', retryAfter: 30 });
    const { model } = await upstream.chat.complete(ask('[[sim:say=ok]]'), { standIns: ['model-b'] });
    expect(model).toBe('model-b');
    sim.control.fail({ kind: 'limited', retryAfter: 30 });
    const started = upstream.chat.complete(ask('x'), { maxWaitMs: 1_000, standIns: ['model-b'] });
    await expect(started).rejects.toMatchObject({ kind: 'rate-limited', retryAfterMs: 30_000 });
  });

  test('a wrong key is rejected and never shown', async () => {
    const own = client({ apiKey: () => Promise.resolve('sk-wrong') });
    const error: unknown = await own.chat.complete(ask('x')).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'auth', status: 401 });
    expect(String(error)).not.toContain('sk-wrong');
    await own.close();
  });

  test('speech in several parts is transcribed completely and translated', async () => {
    const transcript = await upstream.speech.translate({
      audio: tonesWav('123456', 0.4),
      to: 'fr',
      speak: true,
      maxSeconds: 1.5,
    });
    expect(transcript.text).toBe('one two three four five six');
    expect(transcript.translation).toEqual(expect.any(String));
    expect(transcript.words.map(({ start }) => start)).toEqual(
      transcript.words.map(({ start }) => start).toSorted((a, b) => a - b),
    );
    expect(transcript.audio.length).toBeGreaterThan(1);
    expect(transcript.audio[0]?.toString('latin1', 0, 4)).toBe('RIFF');
  });

  test('a video is created once for several submits, followed and fetched', async () => {
    const request = { model: 'model-a-video', input: { prompt: 'Waves' }, idempotencyKey: 'k-1' };
    const handle = await upstream.vision.submit(request);
    expect(await upstream.vision.submit(request)).toEqual(handle);
    expect(await upstream.vision.status(handle)).toMatchObject({ state: 'queued' });
    sim.control.advance(60_000);
    expect(await upstream.vision.status(handle)).toMatchObject({ state: 'done' });
    expect(await upstream.vision.result(handle)).toMatchObject({ state: 'done' });
    expect(await upstream.vision.list()).toHaveLength(1);
    const other = await upstream.vision.submit({ ...request, idempotencyKey: 'k-2' });
    expect(await upstream.vision.cancel(other)).toMatchObject({ state: 'cancelled' });
  });

  test('uploads are counted equally by client and service', async () => {
    const left: (number | undefined)[] = [];
    const options = {
      onRateLimit: ({ remaining }: { remaining?: number | undefined }) => left.push(remaining),
    };
    for (let clip = 0; clip < 10; clip += 1) await upstream.vision.call('clips', { json: {} }, options);
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    await expect(upstream.vision.call('clips', { json: {} })).rejects.toMatchObject({ code: 'window_full' });
  });
});

describe('the examples run', () => {
  const folder = join(import.meta.dirname, '../../shared/upstream/examples');
  const run = async (name: string, ...words: string[]): Promise<string> => {
    const options = [
      '--base',
      sim.baseUrl,
      '--vision',
      sim.visionUrl,
      '--key',
      sim.apiKey,
      '--model',
      'model-a',
    ];
    const file = join(folder, `${name}.ts`);
    return (await promisify(execFile)(process.execPath, [file, ...options, ...words])).stdout;
  };

  test('each prints what its comment says', async () => {
    const sound = await mkdtemp(join(tmpdir(), 'parley-'));
    await writeFile(join(sound, 'talk.wav'), tonesWav('42', 0.4));
    sim.control.change({ queueMs: 0, runMs: 0 });
    const [streamed, called, city, talk, video] = await Promise.all([
      run('stream', '[[sim:say=Hello there]]'),
      run('tools', 'What time is it on the clock?'),
      run('structured'),
      run('transcribe', join(sound, 'talk.wav')),
      run('video', 'model-a-video', 'https://example.com/p.png', 'Let it snow'),
    ]);
    expect(streamed).toMatch(/^Hello there\n\(stop, \d+ tokens, \$0\.\d+\)\n$/u);
    expect(called).toMatch(/^clock\(.*\) -> /u);
    expect(city).toContain('(1 completions)');
    expect(talk).toMatch(/^four two\n0\.\d\d-/u);
    expect(video).toContain('done\n');
    await rm(sound, { recursive: true });
  });
});
