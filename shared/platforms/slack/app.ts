import type { App, Logger, Receiver } from '@slack/bolt';
// The package's front door loads every receiver that Bolt has; this one loads two, and the bundle leaves those out.
import bolt from '@slack/bolt/dist/App.js';
import type { IncomingMessage } from '../../conversation/index.ts';
import type { Body } from './envelope.ts';
import { parse, type ParseOptions } from './parse.ts';
import { type Logs, NotTaken, Unreadable } from './receiver.ts';

export type SlackAppDeps = ParseOptions & {
  readonly receiver: Receiver;
  /** Takes a message that is for the bot. When it rejects, Slack sends the event again. */
  readonly take: (message: IncomingMessage) => Promise<'queued' | 'ignored'>;
  readonly log: Logs;
};

/**
 * The routes of the Slack front. It holds no token and calls nothing of Slack's: `authorize` answers from nothing, and
 * Bolt's own rules against loops are off because `parse` has stricter ones.
 */
export function slackApp(deps: SlackAppDeps): App {
  const app = new bolt.default({
    receiver: deps.receiver,
    authorize: () => Promise.resolve({}),
    ignoreSelf: false,
    convoStore: false,
    logger: boltLogger(deps.log),
  });
  app.error(rethrow);
  app.event('app_mention', ({ body }) => onMessage({ ...body }, deps));
  app.message(({ body }) => onMessage({ ...body }, deps));
  return app;
}

async function onMessage(body: Body, { take, log, ...options }: SlackAppDeps): Promise<void> {
  const parsed = parse(body, options);
  switch (parsed.kind) {
    case 'unreadable':
      throw new Unreadable('a message that is not as Slack sends them');
    case 'drop':
      return log.debug('slack.dropped', { reason: parsed.reason });
    case 'message': {
      const { thread, id } = parsed.message;
      const outcome = await take(parsed.message).catch((cause: unknown) => {
        throw new NotTaken('the message could not be taken in', { cause });
      });
      return log.info('slack.taken', { outcome, channel: thread.channel, root: thread.root, message: id });
    }
  }
}

/** Lets the receiver decide what Slack is told. */
async function rethrow(error: Error): Promise<never> {
  throw error;
}

const silent = (): void => undefined;

/** What Bolt itself has to say, from warnings up. Its sentences name types and causes, not contents. */
function boltLogger(log: Logs): Logger {
  const say =
    (level: 'warn' | 'error') =>
    (...words: unknown[]): void =>
      log[level]('bolt', { reason: typeof words[0] === 'string' ? words[0] : 'error' });
  return {
    debug: silent,
    info: silent,
    warn: say('warn'),
    error: say('error'),
    setLevel: silent,
    getLevel: () => bolt.LogLevel.WARN,
    setName: silent,
  };
}
