import * as v from 'valibot';
import {
  channelId,
  type ChannelId,
  type Integration,
  type IntegrationPlace,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { formatIntegrationKey } from '../../shared/integrations/index.ts';
import type { Deployment } from './deployment.ts';
import { tenantOf } from './deployment-story.ts';

const answerSchema = v.object({
  id: v.string(),
  status: v.picklist(['queued', 'in_progress', 'completed', 'failed']),
  answer: v.nullable(v.string()),
  error: v.nullable(v.unknown()),
});
export type ApiAnswer = v.InferOutput<typeof answerSchema>;
export const readAnswer = (text: string): ApiAnswer => v.parse(answerSchema, JSON.parse(text));

const SECRET = Buffer.alloc(24, 7);
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const ID = '0123456789abcdef';

/** A program sends a request again after this time (ms), and reads on as often. */
const AGAIN_MS = 20_000;
/** A request that a proxy held back arrives after this time. */
const LATE_MS = 200_000;
const MAX_ATTEMPTS = 60;

/**
 * A program that asks over the API as docs/api.md says: it sends a request again, with the same key, until it has a response, and then reads on until
 * the answer has ended.
 */
export class ApiProgram {
  /** The responses to its requests, in order. */
  readonly responses: { readonly status: number; readonly text: string }[] = [];
  /** What it was told at the end. */
  last: ApiAnswer | undefined;
  readonly #harness: Deployment;
  readonly #place: IntegrationPlace;

  constructor(harness: Deployment) {
    this.#harness = harness;
    this.#place = { platform: 'slack', workspace: workspaceId(tenantOf(harness, 0).tenant) };
  }

  /** An administrator has added it, with a webhook. */
  async add(channels: readonly string[] = []): Promise<void> {
    const { store, webhooks } = this.#harness.system().context.integrations;
    const integration: Integration = { id: ID, name: 'deploy-bot', channels: channels.map(channelId) };
    await store.add(this.#place, integration, this.#key, 'setup');
    const webhook = {
      url: 'https://hooks.example.com/parley',
      events: ['answer', 'feedback'] as const,
      by: userId('U9'),
    };
    await webhooks.save(this.#place, ID, webhook, WEBHOOK_SECRET);
  }

  /** Asks, and reads on. Without a response it sends the request again after `againMs`. */
  async ask(
    body: { readonly question: string; readonly channel?: ChannelId; readonly stream?: boolean },
    againMs = AGAIN_MS,
  ): Promise<void> {
    const sent = { wait: 0, ...body };
    const fault = this.#harness.processes.fault('deliver the request', 'delivery');
    if (fault === 'double') void this.#post(sent);
    if (fault === 'late')
      this.#harness.time.at(this.#harness.time.now() + LATE_MS, () => void this.#post(sent));
    for (let attempts = 0; attempts < MAX_ATTEMPTS && !this.#isOver; attempts += 1) {
      const id = this.last?.id;
      if (id === undefined) void this.#post(sent);
      else void this.#read(id);
      await this.#harness.pass(againMs);
    }
  }

  get #isOver(): boolean {
    return this.last?.status === 'completed' || this.last?.status === 'failed';
  }

  get #key(): string {
    return formatIntegrationKey(this.#place, ID, SECRET);
  }

  #post(body: object): Promise<void> {
    return this.#send('POST', '/v1/ask', { 'idempotency-key': 'deploy-17' }, JSON.stringify(body));
  }

  #read(id: string): Promise<void> {
    return this.#send('GET', `/v1/ask/${id}`, {});
  }

  async #send(method: string, rawPath: string, headers: object, body?: string): Promise<void> {
    const response = await this.#harness.api({
      rawPath,
      rawQueryString: '',
      requestContext: { http: { method } },
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
      isBase64Encoded: false,
    });
    if (!response || this.#isOver) return;
    this.responses.push(response);
    if (response.status >= 400 || response.text === '') return;
    this.last = response.text.startsWith('event: ') ? lastIn(response.text) : readAnswer(response.text);
  }
}

/** The last state that a stream tells. */
function lastIn(stream: string): ApiAnswer | undefined {
  const states = eventsIn(stream).filter(({ name }) => !/delta|replaced/u.test(name));
  const [last] = states.slice(-1);
  return last && readAnswer(last.data);
}

/** The events of a stream. */
export const eventsIn = (stream: string): readonly { readonly name: string; readonly data: string }[] =>
  [...stream.matchAll(/^event: (\S+)\ndata: (.*)$/gmu)].map(([, name = '', data = '']) => ({ name, data }));
