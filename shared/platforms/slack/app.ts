import type { App, Logger, Receiver } from '@slack/bolt';
// The package's front door loads every receiver that Bolt has; this one loads two, and the bundle leaves those out.
import bolt from '@slack/bolt/dist/App.js';
import type { Happening } from '../../conversation/index.ts';
import { parsePress } from './interaction.ts';
import { parse, type Parsed, type ParseOptions } from './parse.ts';
import { type Logs, NotTaken, Unreadable } from './receiver.ts';

export type SlackAppDeps = ParseOptions & {
  readonly receiver: Receiver;
  /**
   * Takes in what may concern the bot. When it rejects, Slack sends an event again; of a press it tells the person that
   * it failed.
   */
  readonly happen: (happening: Happening) => Promise<'queued' | 'done' | 'ignored'>;
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
  app.event('app_mention', ({ body }) => take(parse({ ...body }, deps), deps));
  app.event('agent_session_stopped', ({ body }) => take(parse({ ...body }, deps), deps));
  app.message(({ body }) => take(parse({ ...body }, deps), deps));
  app.action(/^parley:/, async ({ ack, body }) => {
    await ack();
    await take(parsePress({ ...body }), deps);
  });
  return app;
}

async function take(parsed: Parsed, { happen, log }: SlackAppDeps): Promise<void> {
  switch (parsed.kind) {
    case 'unreadable':
      throw new Unreadable('an event that is not as Slack sends them');
    case 'drop':
      return log.debug('slack.dropped', { reason: parsed.reason });
    case 'happening': {
      const { happening } = parsed;
      const outcome = await happen(happening).catch((cause: unknown) => {
        throw new NotTaken('what happened could not be taken in', { cause });
      });
      return log.info('slack.taken', { kind: happening.kind, outcome, ...placeOf(happening) });
    }
  }
}

/** Where it happened, for the log. */
function placeOf(happening: Happening): { channel: string; root: string; message?: string } {
  const told = happening.kind === 'message' || happening.kind === 'edited';
  const { channel, root } = told ? happening.message.thread : happening.thread;
  if (happening.kind === 'stopped') return { channel, root };
  return { channel, root, message: told ? happening.message.id : happening.message };
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
