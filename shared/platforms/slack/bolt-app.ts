import { App, type Logger, LogLevel } from '@slack/bolt';
import { type FrontReceiverDeps, FrontReceiver, type Logs } from './inbound/receiver.ts';
import { registerListeners } from './listeners/index.ts';
import type { ListenerDeps } from './listeners/accept.ts';

export type SlackAppDeps = FrontReceiverDeps & ListenerDeps;

/**
 * Builds the Bolt app of the front. The result receives requests; `listeners/` holds what the app does with them.
 *
 * The app holds no token, so `client`, `say` and `setStatus` do not work in a listener. A modal is opened by
 * `handleInteraction`; every other request to Slack is made by the worker.
 */
export function createSlackApp(deps: SlackAppDeps): FrontReceiver {
  const receiver = new FrontReceiver(deps);
  const app = new App({
    receiver,
    // Which workspace a request is for is read from its body. Without a token Bolt calls nothing, neither at its start
    // (`auth.test`) nor for a request.
    authorize: async () => ({}),
    // The parsers drop the bot's own messages. Bolt's filter misses those that bear only a `bot_id`.
    ignoreSelf: false,
    // Would keep a store in memory.
    convoStore: false,
    attachFunctionToken: false,
    logger: boltLogger(deps.log),
    logLevel: LogLevel.WARN,
  });
  // The receiver chooses the status. Bolt's own handler would write the error, with what people wrote, into the log.
  app.error(async (error) => {
    throw error;
  });
  registerListeners(app, deps);
  return receiver;
}

/** Bolt's warnings as log events. Its debug lines hold whole bodies and are left out. */
function boltLogger({ warn, error }: Logs): Logger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (message) => warn('slack.bolt-warning', { message: String(message) }),
    error: (message) => error('slack.bolt-error', { message: String(message) }),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
