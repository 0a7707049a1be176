import { createHmac } from 'node:crypto';
import type { Logger, LogLevel } from '@slack/socket-mode';
import { StartupError } from '../startup-error.ts';

/** The longest wait between attempts to connect again. */
const MAX_WAIT_MS = 30_000;
const CALL_TIMEOUT_MS = 10_000;

export type SocketModeOptions = {
  readonly appToken: string;
  readonly apiUrl: string;
  /** Signs what is posted on; the front knows the same secret. */
  readonly signingSecret: string;
  /** Where events are posted. */
  readonly eventsUrl: string;
  /** Whether Slack has answered before. If not, the first connection is not waited for. */
  readonly reached: boolean;
  readonly now: () => number;
  readonly note: (line: string) => void;
  /** Gets what the person at the terminal has to put right. */
  readonly say?: ((line: string) => void) | undefined;
};

/** One envelope of Slack's socket mode, as its client hands it over. */
export type Envelope = {
  readonly type: string;
  readonly body: unknown;
  readonly retry_num?: number;
  readonly retry_reason?: string;
  readonly accepts_response_payload?: boolean;
  readonly ack: (response?: Record<string, unknown>) => Promise<void>;
};

/**
 * Receives Slack's events through a socket that this machine opens, and posts each to the front, signed, as Slack
 * would. It is acknowledged once the front took it; otherwise Slack sends it again. A connection that is lost, or that could not
 * be opened, is opened again for as long as the system runs. Rejects with StartupError when Slack refuses the first one.
 */
export async function startSocketMode(options: SocketModeOptions): Promise<{ close(): Promise<void> }> {
  // Loaded only here: most starts do not need it.
  const { SocketModeClient, LogLevel: levels } = await import('@slack/socket-mode');
  const client = new SocketModeClient({
    appToken: options.appToken,
    // Its own reconnection ends the process when Slack cannot be reached for a moment.
    autoReconnectEnabled: false,
    logger: quietLogger(options.note, levels.ERROR),
    clientOptions: { slackApiUrl: options.apiUrl, retryConfig: { retries: 0 }, timeout: CALL_TIMEOUT_MS },
  });
  client.on('slack_event', (envelope: Envelope) => {
    forward(envelope, options).catch((error: unknown) => options.note(`slack socket: ${String(error)}`));
  });
  let lost = Promise.withResolvers<void>();
  client.on('disconnected', () => lost.resolve());
  if (options.reached) {
    await client.start().catch((error: unknown) => {
      if (isRefusal(error)) throw new StartupError(refusalOf(error));
      options.note(`slack socket: ${reason(error)}; trying again`);
      lost.resolve();
    });
  } else lost.resolve();
  const stop = new AbortController();
  let opening: Promise<unknown> = Promise.resolve();
  let refused = false;
  const reopen = async () => {
    await lost.promise;
    for (let attempt = 1; !stop.signal.aborted; attempt += 1) {
      lost = Promise.withResolvers<void>();
      const started = client.start();
      opening = started.catch(nothing);
      try {
        await started;
        refused = false;
        return;
      } catch (error) {
        options.note(`slack socket: ${reason(error)}; trying again`);
        if (isRefusal(error) && !refused) options.say?.(refusalOf(error));
        refused ||= isRefusal(error);
        await wait(Math.min(MAX_WAIT_MS, 500 * 2 ** attempt), stop.signal);
      }
    }
  };
  const stayConnected = async () => {
    while (!stop.signal.aborted) await reopen();
  };
  const ended = stayConnected();
  return {
    async close() {
      stop.abort();
      // The client does not end a connection that it is still opening.
      await Promise.race([opening, wait(500)]);
      await Promise.race([client.disconnect(), wait(500)]);
      lost.resolve();
      await Promise.race([ended, wait(500)]);
    },
  };
}

/** Posts one envelope to the front and acknowledges it when the front took it. Rejects when it did not. */
export async function forward(
  envelope: Envelope,
  options: Omit<SocketModeOptions, 'appToken' | 'apiUrl'>,
): Promise<void> {
  const isJson = envelope.type === 'events_api';
  const body = isJson ? JSON.stringify(envelope.body) : form(envelope);
  const timestamp = String(Math.floor(options.now() / 1000));
  const signature = createHmac('sha256', options.signingSecret)
    .update(`v0:${timestamp}:${body}`)
    .digest('hex');
  const response = await fetch(options.eventsUrl, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    headers: {
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
      ...(envelope.retry_num !== undefined &&
        envelope.retry_num > 0 && {
          'x-slack-retry-num': String(envelope.retry_num),
          'x-slack-retry-reason': envelope.retry_reason ?? '',
        }),
    },
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the front answered ${response.status} to ${envelope.type}`);
  await envelope.ack(envelope.accepts_response_payload === true ? record(answer) : undefined);
}

/** Over HTTP, slash commands are form fields and interactions one field `payload`. */
function form({ type, body }: Envelope): string {
  if (type !== 'slash_commands') return new URLSearchParams({ payload: JSON.stringify(body) }).toString();
  const fields = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

function record(answer: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(answer);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return answer === '' ? undefined : { text: answer };
  }
}

/** Whether Slack itself said no, which it will do again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'slack_webapi_platform_error';

const refusalOf = (error: unknown): string =>
  `Slack does not open socket mode with SLACK_APP_TOKEN: ${reason(error)}`;

function reason(error: unknown): string {
  return error instanceof Error ? error.message : 'the connection was closed';
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const nothing = () => {};

/** The client's errors go to the log file; everything else could hold what people wrote. */
function quietLogger(note: (line: string) => void, level: LogLevel): Logger {
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (...parts) => note(`slack socket: ${parts.join(' ')}`),
    setLevel: nothing,
    getLevel: () => level,
    setName: nothing,
  };
}
