import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Recorder } from '../recorder.ts';
import { type Json, stringOf } from './state.ts';
import type { After } from './timers.ts';
import type { Retry, SocketKind, Sockets } from './socket-mode.ts';
import type { Envelope } from './context.ts';

/** Slack waits this long for a response, and retries at once, after a minute and after five. */
const ANSWER_TIMEOUT_MS = 3_000;
const RETRY_AFTER_MS = [0, 60_000, 300_000] as const;
/** The maximum number of events kept while no app is configured. */
const HELD_MOST = 1_000;

export type Failure = {
  readonly eventId: string;
  readonly reason: 'http_timeout' | 'connection_failed' | 'http_error';
  /** The time of Slack's next retry in ms from now; undefined after the last. */
  readonly againInMs: number | undefined;
};

export type DeliveryOptions = {
  readonly signingSecret: string;
  readonly now: () => number;
  readonly after: After;
  /** How often each event is sent from the start; 1 by default. Duplicates are marked as retries, as Slack's are. */
  readonly copies?: number;
  readonly onFailure?: (failure: Failure) => void;
  readonly record?: Recorder | undefined;
  /** Used instead of an address while the app has one. */
  readonly sockets?: Sockets | undefined;
  /** Called once per event: it was accepted or given up. */
  readonly onSettled?: (eventId: string) => void;
  /** Called for each accepted delivery of an event: the app responded with 2xx in time. */
  readonly onTaken?: ((eventId: string) => void) | undefined;
};

/**
 * The app's request URLs from its settings: for events, for clicks and modals, and for every slash command. A request
 * type without a URL is not sent. Source: docs.slack.dev/reference/app-manifest.
 */
export type RequestUrls = {
  readonly events?: string | undefined;
  readonly interactivity?: string | undefined;
  /** By command name, with its slash. */
  readonly commands?: Readonly<Record<string, string>> | undefined;
};

export type Delivery = {
  send(envelope: Envelope): void;
  /** Posts a click as a form: three seconds, no retry. Returns the reason if the app did not accept it. */
  interact(payload: Json): Promise<Failure['reason'] | undefined>;
  /** One URL for all of them. */
  setTarget(to: string | RequestUrls | undefined): void;
  /**
   * Sends the url_verification challenge, as Slack does when the URL is entered. Returns whether the app responded
   * correctly.
   */
  verify(): Promise<boolean>;
  /** Holds events until `release`, which sends them in the given order. */
  hold(): void;
  release(order?: 'as-sent' | 'reversed'): void;
  /** How often each event is sent from now on: see `DeliveryOptions`. */
  setCopies(copies: number): void;
  /** Resolves when no delivery is in progress; a scheduled retry does not count. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

/** In place of an address: socket mode. */
const SOCKET = 'socket';

/** Posts signed events and clicks to the app, as Slack does, or sends them over its socket. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const agent = new Agent({ connections: 64 });
  const closing = new AbortController();
  const underway = new Set<Promise<void>>();
  const retries = new Set<() => void>();
  const waiting: Envelope[] = [];
  let targets: RequestUrls = {};
  let everything: string | undefined;
  let isHeld = false;
  let { copies = 1 } = options;
  const bySocket = (): string | undefined => (options.sockets?.isOpen() ? SOCKET : undefined);
  const eventsUrl = (): string | undefined => bySocket() ?? everything ?? targets.events;
  const callUrl = ({ command }: Json): string | undefined =>
    bySocket() ??
    everything ??
    (typeof command === 'string' ? targets.commands?.[command] : targets.interactivity);

  const attempt = async (envelope: Envelope, retry: number, last: string | undefined): Promise<void> => {
    const target = eventsUrl();
    // A socket that is opened again takes it.
    if (target === undefined) return void waiting.push(envelope);
    const again: Record<string, string> =
      retry > 0 ? { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': last ?? '' } : {};
    const headers = { 'content-type': 'application/json', ...again };
    const repeated = retry > 0 ? { attempt: retry, reason: last ?? '' } : undefined;
    const { outcome } =
      target === SOCKET
        ? await sendToSocket(options, closing.signal, {
            kind: 'events_api',
            payload: envelope,
            retry: repeated,
          })
        : await post(options, agent, closing.signal, { url: target, body: slackJson(envelope), headers });
    if (closing.signal.aborted) return;
    if (outcome === 'taken') {
      options.onTaken?.(envelope.event_id);
      return options.onSettled?.(envelope.event_id);
    }
    const wait = outcome.final ? undefined : RETRY_AFTER_MS[retry];
    options.onFailure?.({ eventId: envelope.event_id, reason: outcome.reason, againInMs: wait });
    if (wait === undefined) return options.onSettled?.(envelope.event_id);
    if (wait === 0) return attempt(envelope, retry + 1, outcome.reason);
    const cancel = options.after(wait, () => {
      retries.delete(cancel);
      start(envelope, retry + 1, outcome.reason);
    });
    retries.add(cancel);
  };
  const start = (envelope: Envelope, retry = 0, last?: string): void => {
    const run = attempt(envelope, retry, last).finally(() => underway.delete(run));
    underway.add(run);
  };
  const flush = (envelopes: Envelope[]): void => {
    for (const envelope of envelopes) {
      start(envelope);
      for (let copy = 1; copy < copies; copy += 1) start(envelope, 1, 'http_timeout');
    }
  };
  options.sockets?.onOpen(() => {
    if (!isHeld) flush(waiting.splice(0));
  });
  return {
    send(envelope) {
      const operation = stringOf(envelope.event['type']);
      options.record?.({ platform: 'slack', kind: 'delivery', operation, request: envelope });
      if (!isHeld && eventsUrl() !== undefined) return flush([envelope]);
      waiting.push(envelope);
      if (waiting.length > HELD_MOST) waiting.shift();
    },
    async interact(payload) {
      const operation = stringOf(payload['type'] ?? 'slash_command');
      options.record?.({ platform: 'slack', kind: 'delivery', operation, request: payload });
      const target = callUrl(payload);
      if (target === undefined) return 'connection_failed';
      const fields = Object.entries(payload).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : slackJson(value),
      ]);
      const isCommand = typeof payload['command'] === 'string';
      const body = new URLSearchParams(isCommand ? fields : { payload: slackJson(payload) }).toString();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const kind = isCommand ? 'slash_commands' : 'interactive';
      const run =
        target === SOCKET
          ? sendToSocket(options, closing.signal, { kind, payload, retry: undefined })
          : post(options, agent, closing.signal, { url: target, body, headers });
      const settled = run.then(() => undefined).finally(() => underway.delete(settled));
      underway.add(settled);
      const { outcome } = await run;
      return outcome === 'taken' ? undefined : outcome.reason;
    },
    setTarget(to) {
      everything = typeof to === 'string' ? to : undefined;
      targets = typeof to === 'object' ? to : {};
      if (eventsUrl() !== undefined && !isHeld) flush(waiting.splice(0));
    },
    async verify() {
      const url = eventsUrl();
      if (url === undefined) return false;
      const challenge = randomBytes(26).toString('base64url');
      const body = slackJson({ token: 'legacy', challenge, type: 'url_verification' });
      const headers = { 'content-type': 'application/json' };
      const { outcome, text } = await post(options, agent, closing.signal, { url, body, headers });
      return outcome === 'taken' && [challenge, JSON.stringify({ challenge })].includes(text);
    },
    hold() {
      isHeld = true;
    },
    release(order = 'as-sent') {
      isHeld = false;
      if (eventsUrl() === undefined) return;
      const all = waiting.splice(0);
      flush(order === 'reversed' ? all.toReversed() : all);
    },
    setCopies(next) {
      copies = next;
    },
    async idle() {
      while (underway.size > 0) await Promise.all(underway);
    },
    async close() {
      for (const cancel of retries) cancel();
      closing.abort();
      await Promise.all(underway);
      await agent.destroy();
    },
  };
}

/** Slack's signature of a body: `v0=` and the hex HMAC-SHA256 of `v0:timestamp:body`. */
export function sign(secret: string, timestamp: number, body: string | Uint8Array): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

/** JSON in the way Slack writes it: nothing but ASCII, slashes escaped. */
export function slackJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('/', String.raw`\/`)
    .replaceAll(/[^ -~]/g, (char) => String.raw`\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

type Outcome = 'taken' | { reason: Failure['reason']; final: boolean };

/** Sends an envelope, which the app has to acknowledge within three seconds. */
async function sendToSocket(
  { sockets, after }: DeliveryOptions,
  closing: AbortSignal,
  {
    kind,
    payload,
    retry,
  }: { readonly kind: SocketKind; readonly payload: Json; readonly retry: Retry | undefined },
): Promise<{ outcome: Outcome; said: string }> {
  const late = new AbortController();
  const cancel = after(ANSWER_TIMEOUT_MS, () => late.abort());
  try {
    const answer = await sockets?.deliver(kind, payload, retry, AbortSignal.any([closing, late.signal]));
    return { outcome: 'taken', said: JSON.stringify(answer ?? '') };
  } catch {
    return { outcome: { reason: 'http_timeout', final: false }, said: '' };
  } finally {
    cancel();
  }
}

async function post(
  options: DeliveryOptions,
  agent: Agent,
  closing: AbortSignal,
  { url, body, headers }: { url: string; body: string; headers: Readonly<Record<string, string>> },
): Promise<{ outcome: Outcome; text: string }> {
  const timestamp = Math.floor(options.now() / 1_000);
  const late = new AbortController();
  const cancel = options.after(ANSWER_TIMEOUT_MS, () => late.abort());
  try {
    const response = await request(url, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.any([closing, late.signal]),
      headers: {
        ...headers,
        'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        'x-slack-request-timestamp': String(timestamp),
        'x-slack-signature': sign(options.signingSecret, timestamp, body),
      },
      body,
    });
    const text = await response.body.text();
    if (response.statusCode >= 200 && response.statusCode < 300) return { outcome: 'taken', text };
    const final = response.headers['x-slack-no-retry'] === '1';
    return { outcome: { reason: 'http_error', final }, text };
  } catch {
    const reason = late.signal.aborted ? 'http_timeout' : 'connection_failed';
    return { outcome: { reason, final: false }, text: '' };
  } finally {
    cancel();
  }
}
