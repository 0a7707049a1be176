import type { Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import { StartupError } from '../startup-error.ts';
import type { ForwardOptions } from './forwarding-app.ts';

const MAX_BACKOFF_MS = 30_000;
const CALL_TIMEOUT_MS = 10_000;
/** How long to wait for each step of closing. */
const CLOSE_TIMEOUT_MS = 500;

export type SocketModeOptions = ForwardOptions & {
  readonly appToken: string;
  /** The address of Slack's Web API. */
  readonly apiUrl: string;
  /** Whether Slack has responded before. If not, the start does not wait for the first connection. */
  readonly reached: boolean;
  /** Writes to the log file. */
  readonly note: (line: string) => void;
  /** Writes to the terminal what the person there has to correct. */
  readonly say?: ((line: string) => void) | undefined;
};

/**
 * Receives Slack's events with Bolt's SocketModeReceiver and forwards each to the front. A connection that is lost, or
 * cannot be opened, is opened again for as long as the system runs. Rejects with StartupError when Slack refuses the first
 * one.
 */
export async function startSocketMode(options: SocketModeOptions): Promise<{ close(): Promise<void> }> {
  const receiver = await createReceiver(options);
  const connection = new Connection(receiver, options);
  if (options.reached) {
    await connection.connect().catch((error: unknown) => {
      if (isRefusal(error)) throw new StartupError(describeRefusal(error));
      options.note(`slack socket: ${explainError(error)}; trying again`);
    });
  }
  const ended = connection.stayConnected();
  return {
    async close() {
      await connection.close();
      await Promise.race([ended, wait(CLOSE_TIMEOUT_MS)]);
    },
  };
}

/** Bolt's receiver, with an app that forwards to the front. */
async function createReceiver(options: SocketModeOptions): Promise<SocketModeReceiver> {
  // Loaded only here: most starts do not need it.
  const [bolt, { ForwardingApp }] = await Promise.all([import('@slack/bolt'), import('./forwarding-app.ts')]);
  const receiver = new bolt.SocketModeReceiver({
    appToken: options.appToken,
    // Bolt's own reconnection ends the process: when Slack cannot be reached, it leaves a rejected promise unhandled.
    autoReconnectEnabled: false,
    logger: quietLogger(options.note, bolt.LogLevel.ERROR),
    installerOptions: {
      clientOptions: {
        slackApiUrl: options.apiUrl,
        retryConfig: { retries: 0 },
        timeout: CALL_TIMEOUT_MS,
      },
    },
    // Without an acknowledgement Slack sends the event again.
    processEventErrorHandler: async ({ error }) => {
      options.note(`slack socket: ${String(error)}`);
      return false;
    },
  });
  // The app registers itself with the receiver.
  void new ForwardingApp(receiver, options);
  return receiver;
}

/** Keeps the receiver connected until it is closed. */
class Connection {
  readonly #receiver: SocketModeReceiver;
  readonly #options: SocketModeOptions;
  readonly #stop = new AbortController();
  /** Resolves when the present connection is lost; at once while there is none. */
  #disconnected = Promise.withResolvers<void>();
  #connecting: Promise<unknown> = Promise.resolve();

  constructor(receiver: SocketModeReceiver, options: SocketModeOptions) {
    this.#receiver = receiver;
    this.#options = options;
    this.#disconnected.resolve();
    receiver.client.on('disconnected', () => this.#disconnected.resolve());
  }

  /** Opens a connection. Rejects when that fails. */
  async connect(): Promise<void> {
    this.#disconnected = Promise.withResolvers();
    const started = this.#receiver.start();
    this.#connecting = started.catch(() => this.#disconnected.resolve());
    await started;
  }

  async stayConnected(): Promise<void> {
    const { note, say } = this.#options;
    const { signal } = this.#stop;
    let wasRefused = false;
    for (let failures = 0; !signal.aborted;) {
      await this.#disconnected.promise;
      if (signal.aborted) return;
      try {
        await this.connect();
        [failures, wasRefused] = [0, false];
      } catch (error) {
        failures += 1;
        note(`slack socket: ${explainError(error)}; trying again`);
        if (isRefusal(error) && !wasRefused) say?.(describeRefusal(error));
        wasRefused ||= isRefusal(error);
        await wait(Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures), signal);
      }
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    // Bolt does not close a connection that it is still opening.
    await Promise.race([this.#connecting, wait(CLOSE_TIMEOUT_MS)]);
    await this.#receiver.stop();
    await Promise.race([this.#disconnected.promise, wait(CLOSE_TIMEOUT_MS)]);
    this.#disconnected.resolve();
  }
}

/** Whether Slack itself refused. It will do so again until somebody corrects the token. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'slack_webapi_platform_error';

const describeRefusal = (error: unknown): string =>
  `Slack does not open socket mode with SLACK_APP_TOKEN: ${explainError(error)}`;

const explainError = (error: unknown): string =>
  error instanceof Error ? error.message : 'the connection was closed';

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Logs errors only: all other lines may hold messages of people. */
function quietLogger(note: (line: string) => void, level: LogLevel): Logger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (...parts) => note(`slack socket: ${parts.join(' ')}`),
    setLevel: () => undefined,
    getLevel: () => level,
    setName: () => undefined,
  };
}
