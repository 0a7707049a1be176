import * as v from 'valibot';
import { FRAMINGS, type RawResponse } from '../conformance/framings.ts';
import { type RawServer, type Received, reply, startRawServer } from '../upstream/raw-server.ts';
import { startLocal } from '../../infra/local/system.ts';
import type { Variables } from '../../infra/configuration/index.ts';
import { closeWithoutSecrets } from './expect-no-secrets.ts';
import { buildOnce } from './harness.ts';
import { type AskerJourney, slackAsker } from './slack-asker.ts';

/** Says what the server responds to a request. `count` counts the requests of this script, from 1. */
export type Script = (count: number, request: Received) => RawResponse;

const CHAT_PATH = '/v1/chat/completions';
const chatBody = v.looseObject({ model: v.string(), messages: v.array(v.looseObject({})) });

export const RAW_KEY = 'sk-canary-0123456789abcdef';

/** A model server of hand-written bytes, which knows nothing of our simulator, and the whole system on it. */
export class RawModelServer {
  readonly #scripts = new Map<string, Script>();
  readonly #received: { n: number; path: string; body: unknown; status: number | undefined; at: number }[] =
    [];
  readonly #counts = new Map<string, number>();
  #server: RawServer | undefined;
  /** The body of the model list. */
  models: unknown = { data: [{ id: 'house/model:1' }] };
  /** The files that the server has, by their paths. */
  readonly files = new Map<string, Buffer>();
  /** Keys that no log, message or stored item of the system may hold. */
  readonly secrets = [RAW_KEY];
  /** Requests for the model list. */
  lists = 0;

  /** The address of the server. */
  get url(): string {
    return this.#server?.url ?? '';
  }

  get requests(): RawServer['requests'] {
    return this.#server?.requests ?? [];
  }

  /** The requests in the form of the simulator's journal, with the time at which each arrived. */
  get journal() {
    return this.#received;
  }

  /** Responds so from now on to chat requests whose messages contain this text, or to other requests to this path. */
  respond(to: string, script: Script): void {
    this.#scripts.set(to, script);
    this.#counts.delete(to);
  }

  /** Starts the server alone. */
  async listen(): Promise<Pick<RawServer, 'url' | 'close'>> {
    this.#server = await startRawServer((socket, request) => this.#respond(socket, request));
    return this.#server;
  }

  /** Starts the server, and the whole local system with a simulated Slack on it. `relay`: messages of the simulated Discord arrive too. */
  async start(
    data: string,
    variables: Variables = {},
    { relay = false }: { readonly relay?: boolean } = {},
  ): Promise<AskerJourney & { close(): Promise<void> }> {
    const server = await this.listen();
    const system = await startLocal({
      data,
      port: 0,
      relay,
      build: buildOnce,
      variables: {
        UPSTREAM_BASE_URL: server.url,
        UPSTREAM_API_KEY: RAW_KEY,
        UPSTREAM_MODEL: 'house/model:1',
        ...variables,
        ...('UPSTREAM_VISION_URL' in variables && { UPSTREAM_VISION_URL: server.url }),
      },
    });
    const slack = system.slack.simulator;
    if (!slack) throw new Error('this journey needs the simulated Slack');
    const close = async () => {
      await closeWithoutSecrets(data, system, this.secrets);
      await server.close();
    };
    return { system, slack, upstream: this, close };
  }

  /** Responds to the request in one of the framings, each in turn. */
  #respond(socket: Parameters<typeof reply>[0], request: Received): void {
    const { path, body, method } = request;
    if (method === 'GET' && path === '/v1/models') {
      this.lists += 1;
      reply(socket, 200, this.models);
      return;
    }
    const file = this.files.get(path);
    if (file !== undefined) {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: ${file.length}\r\n\r\n`);
      socket.write(file);
      return;
    }
    const text = JSON.stringify(body['messages'] ?? path);
    const [name, script] = [...this.#scripts].findLast(([one]) => text.includes(one)) ?? [];
    if (name === undefined || script === undefined) {
      reply(socket, 404, { error: `no script for ${text}` });
      return;
    }
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    const response = script(count, request);
    const n = this.#received.length + 1;
    this.#received.push({ n, path, body, status: response.status ?? 200, at: Date.now() });
    const framings = Object.values(FRAMINGS);
    framings[n % framings.length]?.(socket, response);
  }
}

/** Asks questions to which the server responds as a script says. `facts` are those of the card of `why`, by their names. */
export function scriptedAsker(server: RawModelServer, journey: () => AskerJourney) {
  const { ask } = slackAsker(journey);
  let count = 0;
  return async (script: Script, more: object = {}) => {
    const name = `case ${(count += 1)};`;
    server.respond(name, script);
    const from = server.journal.length;
    const { answer, why } = await ask(`Tell me about ${name}`, more);
    const facts = Object.fromEntries(
      [...why.matchAll(/\*([^*]+)\*\\n([^"]*)"/gu)].map(([, fact = '', value]) => [fact, value]),
    );
    const requests = server.journal
      .slice(from)
      .filter(({ path }) => path === CHAT_PATH)
      .map(({ body, ...request }) => ({ ...request, body: v.parse(chatBody, body) }));
    return { answer, why, facts, requests };
  };
}
