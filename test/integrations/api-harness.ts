import * as v from 'valibot';
import { createApiFront, type ApiFrontDeps } from '../../functions/composition/api/api-front.ts';
import { channelId, type Integration, workspaceId } from '../../shared/domain/index.ts';
import { type CompletionEvent } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { createReadLimit, formatIntegrationKey } from '../../shared/integrations/index.ts';
import { intakeWithin } from '../../shared/intake/index.ts';
import { createMessengerRouter } from '../../shared/platforms/index.ts';
import { type LiveText, withIntegrations } from '../../shared/platforms/api/index.ts';
import { ApiRequests, Integrations, LiveAnswers } from '../../shared/storage/index.ts';
import type { WorkerContext } from '../../shared/worker/index.ts';
import { endEvent, FakeReply, fakePlatform } from '../chat/completion-harness.ts';
import { commandHarness } from '../commands/command-harness.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { TestTime } from '../upstream/time.ts';

export const PLACE = { platform: 'slack', workspace: workspaceId('T1') } as const;
export const ALERTS = channelId('C1');
export const DEPLOY_BOT: Integration = { id: '0123456789abcdef', name: 'deploy-bot', channels: [ALERTS] };
export const KEY = formatIntegrationKey(PLACE, DEPLOY_BOT.id, Buffer.alloc(24, 7));

export type Sent = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
};

/** Reads a response or a webhook. */
export const readObject = (text: string): Record<string, unknown> =>
  v.parse(v.record(v.string(), v.unknown()), JSON.parse(text));

/** What a request sends; defaults are those of `POST /v1/ask` with a valid key. */
export type SentRequest = {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A workspace with one integration. Queued tasks run while a request waits. `events`: what the model sends for each question. */
export async function apiHarness(
  events: readonly CompletionEvent[] = [endEvent('Forty-two.')],
  more: Partial<WorkerContext> = {},
) {
  const time = new TestTime();
  const messenger = new FakeMessenger();
  const written: string[] = [];
  const answers = (): LiveAnswers =>
    new LiveAnswers({ dynamo: at.dynamo, table: 'conversations', days: 30, now: time.now });
  const live: LiveText = {
    write: (turn, text) => {
      written.push(text);
      return answers().write(turn, text);
    },
    refuse: (turn, text) => answers().refuse(turn, text),
  };
  const prompts: string[] = [];
  /** The texts that are published in a thread at the end. */
  const published: string[] = [];
  const publish = async (text: string) => {
    published.push(text);
    return [];
  };
  const reply = () => Object.assign(new FakeReply(), { publish });
  const at = commandHarness(
    {
      ...withIntegrations(
        { platform: { ...fakePlatform(), reply }, messenger: createMessengerRouter(() => messenger) },
        live,
        time,
      ),
      chat: {
        ...streamsOnly,
        async *stream(prompt) {
          prompts.push(JSON.stringify(prompt.at(-1)?.content));
          for (const event of events) yield event;
        },
      },
      ...more,
    },
    time,
  );
  const store = { dynamo: at.dynamo, table: 'conversations', days: 30, now: time.now };
  const integrations = new Integrations(store);
  await integrations.add(PLACE, DEPLOY_BOT, KEY, 'setup');
  const work = async (): Promise<void> => {
    for (let task = at.queue.sent.shift(); task; task = at.queue.sent.shift()) await at.dispatch(task.body);
  };
  const permits: string[] = [];
  let calls = 0;
  const deps: ApiFrontDeps = {
    ...intakeWithin(at.context),
    integrations,
    requests: new ApiRequests(store),
    answers: answers(),
    takeRequest: async (_, integration) => {
      permits.push(integration);
      return undefined;
    },
    takeRead: createReadLimit(time.now),
    randomBytes: (count) => Buffer.alloc(count, (calls += 1)),
    time: {
      now: time.now,
      sleep: async (ms) => {
        time.advance(ms);
        await work();
      },
    },
    log: () => undefined,
  };
  const send = async (request: SentRequest = {}, changed: Partial<ApiFrontDeps> = {}): Promise<Sent> => {
    const { method = 'POST', path = '/v1/ask', query = '', key = KEY, body, headers = {} } = request;
    const {
      status,
      headers: sent,
      body: parts,
    } = await createApiFront({ ...deps, ...changed })({
      rawPath: path,
      rawQueryString: query,
      requestContext: { http: { method } },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      isBase64Encoded: false,
    });
    let text = '';
    for await (const part of parts) text += part;
    return { status, headers: { ...sent }, text };
  };
  const ask = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
    const { status, text } = await send({ body, headers });
    return { status, answer: readObject(text) };
  };
  const items = () => at.dynamo.items('conversations');
  return {
    ...at,
    refuse: live.refuse,
    time,
    messenger,
    integrations,
    deps,
    permits,
    written,
    prompts,
    published,
    send,
    ask,
    work,
    items,
  };
}
