import { Agent, request } from 'undici';
import { ANSWER_TIMEOUT_MS } from './interaction-responses.ts';
import { type Asked, ping } from './interaction-payloads.ts';
import { takeAnswer, type Watch } from './inline-answer.ts';
import { isJson, type Json, parsed, stringOf } from './json.ts';
import { badlySigned, type Keys, signed } from './keys.ts';
import { NO_WEBHOOK_EVENTS, type SimulatorContext } from './context.ts';

/** The result of an interaction: if the app responded wrongly, the person sees that it failed. */
export type Outcome =
  | { readonly acknowledged: true; readonly id: string }
  | {
      readonly acknowledged: false;
      readonly id: string;
      readonly reason: 'timeout' | 'connection_failed' | 'http_error' | 'invalid_answer';
      readonly detail?: unknown;
    };

export type DeliveryOptions = {
  readonly context: SimulatorContext;
  readonly keys: Keys;
  readonly after: (ms: number, action: () => void) => () => void;
  readonly watch: Watch;
};

export type Delivery = {
  /** Sends an interaction and processes the response. */
  interact(request: Asked): Promise<Outcome>;
  /**
   * Sends an authorization event, if the app wants events of its type: again for ten minutes, until the app accepts it. True if it was
   * accepted at once.
   */
  tell(event: Json): Promise<boolean>;
  /**
   * Checks a URL as Discord does before it accepts it, and sometimes later: PING, and invalid signatures, for both
   * URLs. Returns a line per violation.
   */
  inspect(): Promise<string[]>;
  /** The origin of the app, such as `http://127.0.0.1:3000`. */
  setTarget(url: string | undefined): void;
  idle(): Promise<void>;
  close(): Promise<void>;
};

const AGENT = 'Discord-Interactions/1.0 (+https://discord.com)';
const EVENT_RETRIES_MS = [5_000, 30_000, 120_000, 300_000];
const INTERACTIONS = '/discord/interactions';
const EVENTS = '/discord/events';
const AUTHORIZATION_EVENTS = ['APPLICATION_AUTHORIZED', 'APPLICATION_DEAUTHORIZED'];

type Reply = { readonly status: number; readonly type: string; readonly body: Buffer };

/** Posts signed interactions and events to the app, as Discord does. */
export function createDelivery({ context, keys, after, watch }: DeliveryOptions): Delivery {
  const agent = new Agent({ connections: 64 });
  const closing = new AbortController();
  const underway = new Set<Promise<unknown>>();
  const retries = new Set<() => void>();
  let target: string | undefined;

  const post = async (
    path: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<Reply | 'timeout' | 'connection_failed'> => {
    const url = URL.parse(path, target);
    if (url === null) return 'connection_failed';
    const late = new AbortController();
    const cancel = after(ANSWER_TIMEOUT_MS, () => late.abort());
    try {
      const response = await request(url, {
        method: 'POST',
        dispatcher: agent,
        signal: AbortSignal.any([closing.signal, late.signal]),
        headers: { 'content-type': 'application/json', 'user-agent': AGENT, ...headers },
        body,
      });
      const content = Buffer.from(await response.body.arrayBuffer());
      const type = response.headers['content-type'];
      return { status: response.statusCode, type: typeof type === 'string' ? type : '', body: content };
    } catch {
      return late.signal.aborted ? 'timeout' : 'connection_failed';
    } finally {
      cancel();
    }
  };
  const verifying = { keys, post, now: context.now };
  const send = (path: string, payload: Json) => {
    const body = JSON.stringify(payload);
    return post(path, body, signed(keys, context.now(), body));
  };
  const track = <T>(run: Promise<T>): Promise<T> => {
    const settled = run.finally(() => underway.delete(settled));
    underway.add(settled);
    return settled;
  };
  const attempt = async (event: Json, retry: number): Promise<boolean> => {
    const { url, isOn, types } = context.portal.webhookEvents;
    const { event: body } = event;
    if (url === null || !isOn || !isJson(body) || !types.includes(stringOf(body['type']))) return false;
    const reply = await send(url, event);
    if (typeof reply === 'object' && reply.status === 204) return true;
    const wait = EVENT_RETRIES_MS[retry];
    if (wait === undefined || closing.signal.aborted) return false;
    const cancel = after(wait, () => {
      retries.delete(cancel);
      void track(attempt(event, retry + 1));
    });
    retries.add(cancel);
    return false;
  };
  context.portal.changeInteractionsUrl = async (url) => {
    if (url !== null && !(await isVerified(url, interactionPing(context), verifying))) return false;
    context.portal.interactionsUrl = url;
    target = url === null ? undefined : new URL(url).origin;
    return true;
  };
  context.portal.verifyEventsUrl = (url) => isVerified(url, eventPing(context), verifying);
  /** An empty response says that the app responds by the callback route, within the same 3 s. */
  const awaitCallback = ({ interaction: { id, at } }: Asked): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        context.onChange.delete(look);
        closing.signal.removeEventListener('abort', end);
        cancel();
        resolve();
      };
      const look = (): void => {
        if (context.state.interactions.get(id)?.answered !== undefined) end();
      };
      context.onChange.add(look);
      closing.signal.addEventListener('abort', end);
      const cancel = after(Math.max(0, at + ANSWER_TIMEOUT_MS - context.now()), end);
      look();
    });
  return {
    interact: (interaction) =>
      track(
        send(INTERACTIONS, interaction.payload).then(async (reply) => {
          if (typeof reply === 'object' && reply.status === 202 && reply.body.length === 0)
            await awaitCallback(interaction);
          return settle(context, watch, interaction, reply);
        }),
      ),
    tell: (event) => track(attempt(event, 0)),
    inspect: () => track(inspect(context, keys, post)),
    setTarget(url) {
      target = url;
      context.portal.interactionsUrl = url === undefined ? null : url + INTERACTIONS;
      context.portal.webhookEvents =
        url === undefined
          ? NO_WEBHOOK_EVENTS
          : { url: new URL(EVENTS, url).href, isOn: true, types: AUTHORIZATION_EVENTS };
    },
    async idle() {
      while (underway.size > 0) await Promise.all(underway);
    },
    async close() {
      for (const cancel of retries) cancel();
      closing.abort();
      await Promise.allSettled(underway);
      await agent.destroy();
    },
  };
}

async function settle(
  context: SimulatorContext,
  watch: Watch,
  { interaction: { id } }: Asked,
  reply: Reply | 'timeout' | 'connection_failed',
): Promise<Outcome> {
  if (typeof reply === 'string') return { acknowledged: false, id, reason: reply };
  if (reply.status < 200 || reply.status > 299)
    return { acknowledged: false, id, reason: 'http_error', detail: reply.status };
  const failure = await takeAnswer(context, id, reply.type, reply.body, watch);
  if (failure === undefined) return { acknowledged: true, id };
  return { acknowledged: false, id, reason: 'invalid_answer', detail: failure };
}

type Post = (
  path: string,
  body: string,
  headers: Record<string, string>,
) => Promise<Reply | 'timeout' | 'connection_failed'>;

async function inspect(context: SimulatorContext, keys: Keys, post: Post): Promise<string[]> {
  const problems: string[] = [];
  const pings = [
    { path: INTERACTIONS, ...interactionPing(context) },
    { path: EVENTS, ...eventPing(context) },
  ];
  for (const { path, body, fits } of pings) {
    const good = await post(path, body, signed(keys, context.now(), body));
    if (typeof good === 'string' || !fits(good))
      problems.push(`${path}: PING was not answered as it should be`);
    for (const [index, headers] of badlySigned(keys, context.now(), body).entries()) {
      const bad = await post(path, body, headers);
      if (typeof bad === 'string' || bad.status !== 401)
        problems.push(`${path}: bad signature ${index} was not refused with 401`);
    }
  }
  return problems;
}

/** A PING and the response that it has to get. */
type Ping = { readonly body: string; readonly fits: (reply: Reply) => boolean };

const interactionPing = (context: SimulatorContext): Ping => ({
  body: JSON.stringify(ping(context)),
  fits: isPong,
});

/** Source: Discord's documentation, Webhook Events, Setting Up an Endpoint. */
const eventPing = ({ identity }: SimulatorContext): Ping => ({
  body: JSON.stringify({ version: 1, application_id: identity.applicationId, type: 0 }),
  fits: ({ status, body }) => status === 204 && body.length === 0,
});

type Verifying = { readonly keys: Keys; readonly post: Post; readonly now: () => number };

/** Whether a URL responds to PING, and rejects an invalid signature: what Discord checks before it accepts a URL. */
async function isVerified(
  url: string,
  { body, fits }: Ping,
  { keys, post, now }: Verifying,
): Promise<boolean> {
  const good = await post(url, body, signed(keys, now(), body));
  const [headers = {}] = badlySigned(keys, now(), body);
  const bad = await post(url, body, headers);
  return typeof good === 'object' && fits(good) && typeof bad === 'object' && bad.status === 401;
}

function isPong({ status, type, body }: Reply): boolean {
  const response = parsed(body.toString('utf8'));
  return status === 200 && type.startsWith('application/json') && isJson(response) && response['type'] === 1;
}
