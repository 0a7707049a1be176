import { expect } from '@jest/globals';
import type { ChatRequest, JobHandle, UpstreamConfig } from '../../shared/upstream/index.ts';
import { answerOf, data, type Received, USAGE } from '../upstream/raw-server.ts';
import {
  QUESTION,
  readResponse,
  type RawServerHarness,
  type ReadResponse,
  withServer,
} from '../upstream/raw-server-harness.ts';
import { recordEvidence } from './evidence.ts';
import { FRAMINGS, type RawResponse } from './framings.ts';

/** Says what the hand-written server responds. `count` is the number of the request, from 1. */
export type Respond = (request: Received, count: number) => RawResponse;

/** Runs the client against a server that writes these responses byte by byte, once in each framing. */
export async function overBytes(
  respond: Respond,
  use: (rig: RawServerHarness) => Promise<void>,
  config: Partial<UpstreamConfig> = {},
): Promise<void> {
  for (const [name, framing] of Object.entries(FRAMINGS)) {
    try {
      await withServer((socket, request, count) => framing(socket, respond(request, count)), use, {
        visionUrl: 'server',
        ...config,
      });
    } catch (error) {
      if (error instanceof Error) error.message = `With ${name}: ${error.message}`;
      throw error;
    }
  }
  recordEvidence('framed bytes');
}

export const TEXT = 'Grüße 👋, Ж and 日本';

/** A completion of the current shape that says TEXT, changed by `message` and `more`. */
export const completion = (
  message: object = {},
  more: object = {},
  finish: string | null = 'stop',
): RawResponse => ({
  json: {
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'model-a',
    choices: [{ index: 0, message: { role: 'assistant', content: TEXT, ...message }, finish_reason: finish }],
    usage: USAGE,
    ...more,
  },
});

/** Streams TEXT in the current shape, or responds with a completion, as the request asks. */
export const say: Respond = ({ body }) =>
  body['stream'] === true ? { events: answerOf(TEXT) } : completion();

/** The same in the legacy shape. */
export const sayLegacy: Respond = ({ body }) => {
  const base = {
    id: 'c-1',
    object: undefined,
    model: 'vendor-flash',
    usage: { input_tokens: 7, output_tokens: 5 },
  };
  const message = { role: 'assistant', content: TEXT };
  if (body['stream'] !== true)
    return { json: { ...base, choices: [{ index: 0, message, finish_reason: 'stop' }] } };
  const words = TEXT.split(/(?<= )/u).map((content) => ({ delta: { content }, finish_reason: null }));
  const choices = [...words, { delta: {}, finish_reason: 'stop' }];
  return { events: choices.map((choice) => data({ ...base, choices: [{ index: 0, ...choice }] })) };
};

/** The client sends exactly these fields besides model, messages, `max_tokens` and `stream`, and reads the answer. */
export async function sends(
  patch: Partial<ChatRequest>,
  fields: Readonly<Record<string, unknown>>,
  config: Partial<UpstreamConfig> = {},
): Promise<void> {
  await overBytes(
    config.shape === 'legacy' ? sayLegacy : say,
    async ({ upstream, server }) => {
      const { text, omitted } = await upstream.chat.complete({ ...QUESTION, ...patch });
      expect([text, omitted]).toEqual([TEXT, []]);
      expect((await readResponse(upstream.chat.stream({ ...QUESTION, ...patch }))).end?.text).toBe(TEXT);
      const bodies = server.requests.map(({ body }) => body);
      expect(bodies.map(({ stream }) => stream)).toEqual([false, true]);
      for (const { stream: _, stream_options: __, ...body } of bodies)
        expect(body).toEqual({
          model: QUESTION.model,
          messages: QUESTION.messages,
          max_tokens: 4096,
          ...fields,
        });
    },
    config,
  );
}

/** What the client makes of these events of a stream, in each framing. */
export async function streams(
  events: readonly string[],
  check: (response: ReadResponse) => void,
  config: Partial<UpstreamConfig> = {},
): Promise<void> {
  await overBytes(
    () => ({ events }),
    async ({ upstream }) => check(await readResponse(upstream.chat.stream(QUESTION))),
    config,
  );
}

/** The origin that the request was sent to. */
export const originOf = ({ headers }: Received): string => `http://${headers['host'] ?? ''}`;

/** A handle as the client has it, with links on the server. */
export const handleOn = (origin: string): JobHandle => ({
  requestId: 'r-1',
  status: 'IN_QUEUE',
  statusUrl: `${origin}/jobs/r-1/state?x=1`,
  responseUrl: `${origin}/jobs/r-1/outcome`,
  cancelUrl: `${origin}/jobs/r-1/stop`,
});
