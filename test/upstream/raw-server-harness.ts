import {
  createUpstream,
  type ChatEvent,
  type Completion,
  type Upstream,
  type UpstreamConfig,
  UpstreamError,
} from '../../shared/upstream/index.ts';
import { recordEvidence } from '../conformance/evidence.ts';
import { type RawServer, type Respond, startRawServer } from './raw-server.ts';
import { TestTime } from './time.ts';

export const KEY = 'sk-very-secret';

export type RawServerHarness = {
  readonly server: RawServer;
  readonly upstream: Upstream;
  readonly time: TestTime;
};

/** A client with a server that writes what the test says; both are closed when `use` returns. */
export async function withServer<T>(
  respond: Respond,
  use: (rig: RawServerHarness) => Promise<T>,
  config: Partial<UpstreamConfig> = {},
): Promise<T> {
  const server = await startRawServer(respond);
  const time = new TestTime();
  const upstream = createUpstream({
    baseUrl: server.url,
    apiKey: () => Promise.resolve(KEY),
    time,
    random: () => 0.5,
    ...config,
    visionUrl: config.visionUrl && server.url,
  });
  try {
    return await use({ server, upstream, time });
  } finally {
    if (server.requests.length > 0) recordEvidence('bytes');
    await upstream.close();
    await server.close();
  }
}

/** The same with a vision service, which is the raw server too. */
export function withVision(respond: Respond, use: (rig: RawServerHarness) => Promise<void>): Promise<void> {
  return withServer(respond, use, { visionUrl: 'server' });
}

export const QUESTION = { model: 'model-a', messages: [{ role: 'user', content: 'Hello?' }] } as const;

export type ReadResponse = {
  readonly events: ChatEvent[];
  readonly end: Completion | undefined;
  readonly error: unknown;
};

/** Reads a stream to its end or its error. */
export async function readResponse(
  events: AsyncIterable<ChatEvent>,
  each?: (event: ChatEvent) => void,
): Promise<ReadResponse> {
  const received: ChatEvent[] = [];
  try {
    for await (const event of events) {
      received.push(event);
      each?.(event);
    }
  } catch (error) {
    return { events: received, end: undefined, error };
  }
  return {
    events: received,
    end: received.flatMap((event) => (event.type === 'end' ? [event] : []))[0],
    error: undefined,
  };
}

/** The text of the events, as a reader would see it. */
export function textOf(response: ReadResponse, type: 'text' | 'reasoning' = 'text'): string {
  return response.events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
}

/** The error as an upstream error, or a failed test. */
export function asUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  throw new Error(`Not an upstream error: ${String(error)}`, { cause: error });
}

/** Waits for a later event loop turn. */
export async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise((resolve) => setImmediate(resolve));
}
