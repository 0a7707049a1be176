import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { createUpstream, type Upstream, type UpstreamConfig } from '../../shared/upstream/index.ts';
import { pick, type Seen, type Send, user } from '../simulators/upstream/test-client.ts';
import {
  type CoreOptions,
  type Entry,
  startUpstreamSimulator,
  type UpstreamSimulator,
} from '../simulators/upstream/index.ts';
import { isObject, isText, type JsonObject, parseJson } from '../simulators/upstream/json.ts';
import { TestTime } from '../upstream/time.ts';
import { recordEvidence } from './evidence.ts';

/** The simulator's clock stands at this until a test moves it. ms since 1970. */
export const NOW = 1_700_000_000_000;

/** Limits that tests of other things do not run into. */
export const ROOMY: CoreOptions = { limits: { chat: { perMinute: 60_000, burst: 1000 } } };

/** The models of the document's current shape. */
export const CURRENT = [
  'model-a',
  'model-b',
  'model-c',
  'model-d',
  'model-e',
  'vendor-edge-2603',
  'vendor-flash-3',
] as const;

export type Service = {
  /** As it was started, before each test. */
  readonly sim: () => UpstreamSimulator;
  /** One request over the network, with the key as bearer unless `headers` say otherwise. */
  readonly send: (request: Send) => Promise<Seen>;
  /** A chat completion of `model-c` with "hello", changed by `patch`. */
  readonly ask: (patch?: JsonObject) => Promise<Seen>;
  /** The same in the legacy shape, to `vendor-flash`. */
  readonly legacy: (patch?: JsonObject) => Promise<Seen>;
  /** `200`, or `400 param`, for each of these changes to a chat completion. */
  readonly outcomes: (...patches: readonly JsonObject[]) => Promise<string[]>;
  /** `200`, or `422 field`, for each of these changes to one of the legacy shape. */
  readonly legacyOutcomes: (...patches: readonly JsonObject[]) => Promise<string[]>;
  /** The current models that take these fields; the others must refuse the first of them by its name. */
  readonly takers: (fields: JsonObject) => Promise<string[]>;
  /** A client of the service. */
  readonly client: (config?: Partial<UpstreamConfig>) => Upstream;
  /** What was asked last. */
  readonly last: () => Entry;
};

/** The simulated service of a test file, strict and on the network; each test finds it as new. */
export function service(options: CoreOptions = {}): Service {
  let running: UpstreamSimulator | undefined;
  const clients: Upstream[] = [];
  let sentWithoutClient = 0;
  beforeAll(async () => {
    running = await startUpstreamSimulator({ profile: 'strict', paceMs: 0, clock: () => NOW, ...options });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    if (sentWithoutClient > 0) recordEvidence('simulator');
    if ((running?.journal.length ?? 0) > sentWithoutClient) recordEvidence('client on simulator');
    sentWithoutClient = 0;
    running?.reset();
  });
  afterAll(async () => running?.close());

  const sim = (): UpstreamSimulator => {
    if (running === undefined) throw new Error('The service runs within tests alone.');
    return running;
  };
  const send: Service['send'] = (request) => {
    sentWithoutClient += 1;
    return sent(sim(), request);
  };
  const ask: Service['ask'] = (patch = {}) =>
    send({ body: { model: 'model-c', messages: [user('hello')], ...patch } });
  const legacy: Service['legacy'] = (patch = {}) =>
    send({
      headers: { 'x-api-key': sim().apiKey },
      body: { model: 'vendor-flash', messages: [user('hello')], ...patch },
    });
  const each =
    (how: Service['ask']): Service['outcomes'] =>
    async (...patches) => {
      const all: string[] = [];
      for (const patch of patches) all.push(outcomeOf(await how(patch)));
      return all;
    };
  return {
    sim,
    send,
    ask,
    legacy,
    outcomes: each(ask),
    legacyOutcomes: each(legacy),
    takers: async (fields) => {
      const name = Object.keys(fields)[0] ?? '';
      const takers: string[] = [];
      for (const model of CURRENT) {
        const outcome = outcomeOf(await ask({ model, ...fields }));
        if (outcome === '200') takers.push(model);
        else if (outcome !== `400 ${name}`) throw new Error(`${model} answers ${outcome}`);
      }
      return takers;
    },
    client: (config = {}) => {
      const { baseUrl, visionUrl, apiKey } = sim();
      const client = createUpstream({
        baseUrl,
        visionUrl,
        apiKey: () => Promise.resolve(apiKey),
        time: new TestTime(),
        random: () => 0.5,
        ...config,
      });
      clients.push(client);
      return client;
    },
    last: () => {
      const entry = sim().journal.at(-1);
      if (entry === undefined) throw new Error('Nothing was asked.');
      return entry;
    },
  };
}

async function sent(sim: UpstreamSimulator, request: Send): Promise<Seen> {
  const { path = '/v1/chat/completions', body } = request;
  const text = body === undefined ? null : isText(body) ? body : JSON.stringify(body);
  const headers = request.headers ?? { authorization: `Bearer ${sim.apiKey}` };
  const answer = await fetch(`${sim.baseUrl}${path}`, {
    method: request.method ?? (text === null ? 'GET' : 'POST'),
    headers: text === null ? { ...headers } : { 'content-type': 'application/json', ...headers },
    body: text,
    redirect: 'manual',
  });
  const bodyText = await answer.text();
  const lines = bodyText
    .split('\n\n')
    .filter((line) => line.startsWith('data: ') && !line.includes('[DONE]'));
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: bodyText,
    json: parseJson(bodyText)?.value,
    events: lines.map((line) => parseJson(line.slice('data: '.length))?.value).filter(isObject),
  };
}

/** `200`, or `400 param`. */
export function outcomeOf({ status, json }: Seen): string {
  const loc = pick(json, 'detail', 0, 'loc');
  const param = Array.isArray(loc) ? loc.slice(1).join('.') : pick(json, 'error', 'param');
  return isText(param) && param !== '' ? `${status} ${param}` : String(status);
}

/** What the last request of a test said, by field. */
export function bodyOf({ body }: Pick<Entry, 'body'>): JsonObject {
  if (!isObject(body)) throw new Error('The request had no JSON object.');
  return body;
}
