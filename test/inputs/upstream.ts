import { createUpstream, type Upstream, UpstreamError } from '../../shared/upstream/index.ts';
import type { Random } from '../faults/seeded-random.ts';
import { TestTime } from '../upstream/time.ts';
import { type ServerResponse, MemoryServer } from './memory-server.ts';
import type { EntryPoint, Try } from './entry-point.ts';
import type { Json } from './json.ts';
import { bodyFrom, chance, oddText, pick, randomBytes, upTo } from './mutate.ts';
import { describe } from './run-block.ts';

const BASE = 'https://models.example.com';
const VISION = 'https://vision.example.com';

const usage = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
const chunk = (delta: Json, more: Readonly<Record<string, Json>> = {}): Json => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'model-a',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});
const call = {
  index: 0,
  id: 'call-1',
  type: 'function',
  function: { name: 'search', arguments: '{"query":"x"}' },
};

/** The events of an answer, in order. */
const STREAMS: readonly [readonly Json[], ...(readonly Json[])[]] = [
  [
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'The sky ' }),
    chunk({ content: 'is blue.' }),
    chunk({}, { finish_reason: 'stop' }),
    { ...obj(chunk({})), choices: [], usage },
  ],
  [
    chunk({ reasoning_content: 'Hm.' }),
    chunk(
      { content: 'Yes.' },
      { logprobs: { content: [{ token: 'Yes', logprob: -0.1, top_logprobs: [] }] } },
    ),
    chunk({}, { finish_reason: 'length' }),
  ],
  [
    chunk({ tool_calls: [call] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '' } }] }),
    chunk({}, { finish_reason: 'tool_calls' }),
  ],
  [
    chunk({ content: 'x' }),
    { error: { message: 'overloaded', type: 'server_error', code: 'model_at_capacity' } },
  ],
];

function obj(value: Json): Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

const ERRORS: readonly [Json, ...Json[]] = [
  { error: { message: 'Slow down', type: 'rate_limit', code: 'rate_limit_exceeded', param: null } },
  { error: { message: 'Full', code: 'model_at_capacity' } },
  { detail: [{ loc: ['body', 'model'], msg: 'no', type: 'value_error' }] },
  { detail: 'Not Found' },
];

const MODELS: Json = {
  object: 'list',
  data: [
    {
      id: 'model-a',
      object: 'model',
      created: 1,
      owned_by: 'x',
      context_length: 8_192,
      input_modalities: ['text', 'image'],
      supported_features: ['tools'],
      is_ready: true,
      pricing: { prompt: '0.0000001', completion: '0.0000002', input_cache_read: '0' },
    },
  ],
};
const COMPLETION: Json = {
  id: 'c1',
  model: 'model-a',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: '{"title":"x"}', tool_calls: null },
    },
  ],
  usage,
};
const JOB = 'https://vision.example.com/v2/inference/requests/job-1';
const VIDEO: readonly [Json, ...Json[]] = [
  {
    request_id: 'job-1',
    status: 'IN_QUEUE',
    queue_position: 2,
    status_url: `${JOB}/status`,
    response_url: JOB,
    cancel_url: `${JOB}/cancel`,
  },
  { request_id: 'job-1', status: 'COMPLETED', video: { url: 'https://cdn.example.com/v.mp4' } },
  { video_id: 'v1', url: 'https://cdn.example.com/v.mp4', status: 'READY' },
];
const SPEECH: Json = {
  text: 'Hello there.',
  words: [{ word: 'Hello', start: 0.1, end: 0.5 }],
  translation: 'Bonjour.',
  audio: 'UklGRg==',
  language: 'en',
};

function piecesOf(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const maxParts = 1 + upTo(random, chance(random, 0.2) ? 3 : 400);
  for (let at = 0; at < bytes.length; at += maxParts) pieces.push(bytes.subarray(at, at + maxParts));
  return pieces;
}

/** A stream of events with unusual values, some truncated, some malformed. */
function streamFrom(random: Random): Buffer {
  const events = pick(random, STREAMS).map((event): Buffer => {
    const body = chance(random, 0.6) ? Buffer.from(JSON.stringify(event)) : bodyFrom(random, event);
    const [field, end] = [
      pick(random, ['data: ', 'data:', 'event: error\ndata: ', ': ping\n\ndata: ', 'data']),
      pick(random, ['\n\n', '\r\n\r\n', '\r\r', '\n']),
    ];
    return Buffer.concat([Buffer.from(field), body, Buffer.from(end)]);
  });
  const end = pick(random, ['data: [DONE]\n\n', '', 'data: [DONE]']);
  const whole = Buffer.concat([...events, Buffer.from(end)]);
  if (chance(random, 0.8)) return whole;
  const where = upTo(random, whole.length);
  return Buffer.concat([
    whole.subarray(0, where),
    randomBytes(random, upTo(random, 20)),
    whole.subarray(chance(random, 0.5) ? where : whole.length),
  ]);
}

const HEADERS = [
  'retry-after',
  'x-request-id',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'content-length',
  'content-encoding',
  'content-type',
] as const;

function answerFrom(random: Random, path: string): ServerResponse {
  const failed = chance(random, 0.15);
  const status = failed ? pick(random, [400, 401, 404, 408, 422, 429, 500, 503, 204, 301, 999]) : 200;
  const streamed = path.endsWith('/chat/completions') && !failed && chance(random, 0.7);
  const sample = failed ? pick(random, ERRORS) : sampleFor(random, path);
  const bytes = streamed ? streamFrom(random) : bodyFrom(random, sample);
  const type = streamed ? 'text/event-stream' : 'application/json';
  const odd = chance(random, 0.2) ? { [pick(random, HEADERS)]: headerText(random) } : {};
  return {
    status,
    headers: { 'content-type': type, ...odd },
    pieces: piecesOf(random, bytes),
    broken: chance(random, 0.1),
  };
}

/** A header value with the characters that HTTP allows. */
const headerText = (random: Random): string =>
  // oxlint-disable-next-line no-control-regex -- these are what HTTP refuses
  pick(random, [
    '-1',
    '1e9',
    'NaN',
    'Wed, 21 Oct 2015 07:28:00 GMT',
    '1m30s',
    'gzip',
    oddText(random),
  ]).replace(/[^\x20-\x7E]/gu, '');

function sampleFor(random: Random, path: string): Json {
  if (path.includes('/models')) return MODELS;
  if (path.includes('/chat/')) return COMPLETION;
  if (path.includes('/inference') || path.includes('/video')) return pick(random, VIDEO);
  return SPEECH;
}

const ASK = { model: 'model-a', messages: [{ role: 'user', content: 'Why?' }] } as const;
const wav = Buffer.alloc(44 + 320);
wav.write('RIFF\0\0\0\0WAVEfmt ', 0, 'latin1');
wav.writeUInt32LE(16, 16);
wav.writeUInt16LE(1, 20);
wav.writeUInt16LE(1, 22);
wav.writeUInt32LE(16_000, 24);
wav.writeUInt32LE(32_000, 28);
wav.writeUInt16LE(2, 32);
wav.writeUInt16LE(16, 34);
wav.write('data', 36, 'latin1');
wav.writeUInt32LE(320, 40);

const HANDLE = {
  requestId: 'job-1',
  status: 'IN_QUEUE',
  statusUrl: `${JOB}/status`,
  responseUrl: JOB,
  cancelUrl: `${JOB}/cancel`,
};

/** Every kind of request, with its result. */
const CALLS: readonly [(of: Upstream) => Promise<unknown>, ...((of: Upstream) => Promise<unknown>)[]] = [
  async ({ chat }) => {
    let last = '';
    for await (const event of chat.stream(ASK)) last = event.type;
    if (last !== 'end') throw new Error(`a stream ended with ${last}`);
  },
  async ({ chat }) => {
    for await (const _ of chat.stream({ ...ASK, responseFormat: { type: 'json_object' } })) break;
  },
  ({ chat }) => chat.complete(ASK),
  ({ models }) => models.list(),
  ({ speech }) => speech.transcribe({ audio: wav }),
  ({ speech }) => speech.translate({ audio: wav, to: 'fr', speak: true }),
  ({ vision }) => vision.submit({ model: 'a/b', input: { prompt: 'Waves' } }),
  ({ vision }) => vision.status(HANDLE),
  ({ vision }) => vision.result(HANDLE),
  ({ vision }) => vision.video('v1'),
];

/**
 * Responses of the models and the video service: streams, completions, lists, errors, headers, interrupted anywhere.
 */
export const upstreamEntry: EntryPoint = {
  name: 'upstream',
  share: 12,
  open: (random): Try => {
    const agent = new MemoryServer((path) => answerFrom(random, path));
    return async () => {
      const upstream = createUpstream({
        baseUrl: BASE,
        visionUrl: VISION,
        apiKey: async () => 'key',
        time: new PassingTime(),
        random: () => 0.5,
        agent,
      });
      const ask = chance(random, 0.6) ? CALLS[0] : pick(random, CALLS);
      try {
        await ask(upstream);
      } catch (error) {
        // Any response leads to a result or to an error class of the client.
        if (!(error instanceof UpstreamError)) return `not an error of the client: ${describe(error)}`;
      }
      return undefined;
    };
  },
};

/** Waits before a retry end at once; timeouts of an attempt never fire. */
class PassingTime extends TestTime {
  constructor() {
    super(120_000);
  }
}
