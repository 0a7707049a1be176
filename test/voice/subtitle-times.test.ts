import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTranscriptionClient } from '../../functions/composition/video/transcriber.ts';
import { listCardFiles } from '../../shared/domain/index.ts';
import { createUpstream, type Upstream, writeWav } from '../../shared/upstream/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { TestTime } from '../upstream/time.ts';
import { RECORDING, task, voiceHarness } from './voice-harness.ts';

// The times of VTT and SRT files are those that the speech service gives for words: from the bytes of its responses to the
// bytes of the files.

const CHUNK_MS = 20_000;
/** Samples encode the number of their chunk, so that the server recognizes it. */
const RATE = 16_000;
const chunkWav = (n: number) => writeWav({ rate: RATE, channels: 1, samples: Buffer.alloc(200, n) });

/** The responses of the service, by chunk. */
let responses: ReadonlyMap<number, string> = new Map();
const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on('data', (part: Buffer) => body.push(part));
  request.on('end', () => {
    const url = /"audio_url":"data:audio\/wav;base64,([^"]*)"/u.exec(Buffer.concat(body).toString())?.[1];
    const n = Buffer.from(url ?? '', 'base64').at(-1) ?? 0;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(responses.get(n) ?? '{"transcript":null}');
  });
});
let upstream: Upstream;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const url = `http://127.0.0.1:${port}`;
  upstream = createUpstream({
    baseUrl: url,
    apiKey: async () => 'key',
    time: new TestTime(),
    random: () => 0,
  });
});
afterAll(async () => {
  await upstream.close();
  server.close();
  server.closeAllConnections();
});

/** A word item of the service. */
type Item = { readonly start?: unknown; readonly end?: unknown; readonly transcript?: unknown };
const word = (start: number, end: number, transcript: string): Item => ({ start, end, transcript });

/** Transcribes a recording, whose chunks the service answers like this, and returns the cues of its files. */
async function cuesOf(chunks: Readonly<Record<number, { text: string; items: readonly Item[] | null }>>) {
  const count = Math.max(7, ...Object.keys(chunks).map((n) => Number(n) + 1));
  responses = new Map(
    Object.entries(chunks).map(([n, { text, items }]) => [
      Number(n),
      JSON.stringify({ transcript: text, transcript_translation_with_timestamp: items }),
    ]),
  );
  const harness = voiceHarness();
  const key = {
    names: async () => ['k'],
    value: async () => 'key',
    recordRejection: async () => false,
    isOfDeployment: () => true,
  };
  const context = {
    ...harness.context,
    transcriptionClient: createTranscriptionClient(upstream, key, () => undefined),
    media: {
      async *decode() {
        yield { type: 'begin', container: 'mp4', codec: 'aac', length: undefined } as const;
        for (let n = 0; n < count; n += 1)
          yield {
            type: 'chunk',
            n,
            wav: chunkWav(n),
            fromMs: n * CHUNK_MS,
            toMs: (n + 1) * CHUNK_MS,
            last: n === count - 1,
          } as const;
        yield { type: 'end', ms: count * CHUNK_MS, chunks: count } as const;
      },
    },
  };
  await runTranscriptionTask(task({ kind: 'show' }, { recordings: [RECORDING] }), context, harness.delivery);
  const card = harness.cards.at(-1)?.card;
  const files = new Map(
    (card ? listCardFiles(card) : []).map(({ name, content }) => [
      name.split('.').at(-1),
      new TextDecoder().decode(content),
    ]),
  );
  const vtt = parseCues(files.get('vtt') ?? '', '.');
  expect(parseCues(files.get('srt') ?? '', ',')).toEqual(vtt);
  return vtt;
}

const toSeconds = (hours: number, minutes: number, seconds: number, ms: number): number =>
  (hours * 3_600_000 + minutes * 60_000 + seconds * 1_000 + ms) / 1_000;

/** Reads cues as players do: start and end in seconds, and the text. */
function parseCues(file: string, point: '.' | ','): (readonly [number, number, string])[] {
  const time = String.raw`(\d{2,}):([0-5]\d):([0-5]\d)[${point}](\d{3})`;
  const cue = new RegExp(String.raw`^${time} --> ${time}\n(.+)$`, 'gmu');
  return Array.from(file.matchAll(cue), ([, ...parts]) => {
    const [h = 0, m = 0, s = 0, ms = 0, h2 = 0, m2 = 0, s2 = 0, ms2 = 0] = parts.slice(0, 8).map(Number);
    return [toSeconds(h, m, s, ms), toSeconds(h2, m2, s2, ms2), parts[8] ?? ''] as const;
  });
}

test('a cue begins with its first word and ends with its last one, to the millisecond', async () => {
  const items = [
    word(0.32, 0.6, 'Good'),
    word(0.6, 1.2345, 'morning'),
    word(2.0004, 2.5, 'Shall'),
    word(2.5, 2.75, 'we'),
    word(2.75, 3.1, 'begin'),
  ];
  expect(
    await cuesOf({
      0: { text: 'Good morning. Shall we begin?', items },
      1: { text: 'Yes, please.', items: [word(4, 4.4, 'Yes'), word(4.4, 5.5, 'please')] },
    }),
  ).toEqual([
    [0.32, 1.235, 'Good morning.'],
    [2, 3.1, 'Shall we begin?'],
    [24, 25.5, 'Yes, please.'],
  ]);
});

describe('words that are missing', () => {
  test.each([
    ['null', null],
    ['an empty list', []],
    ['items without times', [{ transcript: 'Good' }, { start: 1, transcript: 'morning' }]],
    ['items with times as text', [{ start: '1', end: '2', transcript: 'Good' }]],
    ['items without text', [{ start: 1, end: 2 }]],
    ['words of another text', [word(1, 2, 'Bonjour')]],
  ])('%s: the cue has the times of its chunk', async (_, items) => {
    expect(await cuesOf({ 1: { text: 'Good morning.', items } })).toEqual([[20, 40, 'Good morning.']]);
  });

  test('single words without an item belong to the word before them; those at the beginning, to the first one', async () => {
    const items = [word(1, 2, 'good'), word(5, 6, 'begin')];
    expect(await cuesOf({ 0: { text: 'A good morning. Shall we begin?', items } })).toEqual([
      [1, 2, 'A good morning. Shall we'],
      [5, 6, 'begin?'],
    ]);
  });
});

test('overlapping words: a cue does not begin before the previous one ends', async () => {
  const items = [word(1, 3, 'One'), word(2.5, 4, 'Two'), word(3.9, 5, 'Three')];
  expect(await cuesOf({ 0: { text: 'One. Two. Three.', items } })).toEqual([
    [1, 3, 'One.'],
    [3, 4, 'Two.'],
    [4, 5, 'Three.'],
  ]);
});

test('times outside of the chunk or that run backwards stay within it, in order', async () => {
  const items = [word(-1, 2, 'One'), word(1, 0.5, 'Two'), word(19, 99, 'Three')];
  expect(await cuesOf({ 1: { text: 'One. Two. Three.', items } })).toEqual([
    [20, 22, 'One.'],
    [22, 22.5, 'Two.'],
    [39, 40, 'Three.'],
  ]);
});

test('a word without length is shown for half a second, but not after the next one begins', async () => {
  const items = [word(1, 1, 'One'), word(1.2, 1.3, 'Two'), word(5, 5, 'Three'), word(9, 9.1, 'Four')];
  expect(await cuesOf({ 0: { text: 'One. Two. Three. Four.', items } })).toEqual([
    [1, 1.2, 'One.'],
    [1.2, 1.7, 'Two.'],
    [5, 5.5, 'Three.'],
    [9, 9.5, 'Four.'],
  ]);
});

test('words that all have the same time have cues of at least a millisecond', async () => {
  const items = [word(1, 1, 'One'), word(1, 1, 'Two')];
  expect(await cuesOf({ 0: { text: 'One. Two.', items } })).toEqual([
    [1, 1.001, 'One.'],
    [1, 1.5, 'Two.'],
  ]);
});

test('a recording of more than an hour has its words at their place', async () => {
  expect(
    await cuesOf({
      0: { text: 'Begin.', items: [word(0, 1, 'Begin')] },
      179: { text: 'Almost.', items: [word(19.5, 19.999, 'Almost')] },
      180: { text: 'An hour.', items: [word(0, 0.25, 'An'), word(0.25, 0.75, 'hour')] },
      190: { text: 'Later.', items: [word(7.007, 8, 'Later')] },
    }),
  ).toEqual([
    [0, 1, 'Begin.'],
    [3_599.5, 3_600, 'Almost.'],
    [3_600, 3_600.75, 'An hour.'],
    [3_807.007, 3_808, 'Later.'],
  ]);
});
