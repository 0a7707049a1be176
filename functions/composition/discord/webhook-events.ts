import { userId } from '../../../shared/domain/index.ts';
import { sendErasure } from '../../../shared/privacy/erase.ts';
import { idAt, numberAt, textAt } from '../../../shared/platforms/discord/inbound/json-path.ts';
import { guildOf } from '../../../shared/platforms/discord/lookup/conversation-key.ts';
import { createAwsCall } from '../../../shared/aws/aws-request.ts';
import type { DiscordEventsConfig } from '../../../shared/runtime/config/front-config.ts';
import type { HttpResponse } from '../../../shared/runtime/http.ts';
import { type Level, type Log, logger } from '../../../shared/runtime/log.ts';
import { type Queue, sqsQueue } from '../../../shared/aws/sqs-queue.ts';
import type { Clock } from '../../../shared/runtime/time.ts';
import { signedBody } from './discord-front.ts';
import { errorName } from '../../../shared/utils/error-name.ts';

export type DiscordInstallsDeps = {
  /** Of the application, 64 hex characters. */
  readonly publicKey: string;
  readonly queue: Queue;
  readonly now: Clock;
  readonly log: Readonly<Record<Level, Log>>;
};

/** What is taken in, a PING too, is answered with this and nothing else. */
const TAKEN: HttpResponse = { statusCode: 204, body: '' };
/** Discord tries again for ten minutes. */
const AGAIN: HttpResponse = { statusCode: 503, body: '' };

/**
 * The function that is told who takes the app on and who removes it; Discord tells it of people's own installs alone, of a
 * guild that the bot leaves the gateway tells. Whoever removed it is forgotten, wherever they asked. Never rejects.
 * See docs:events/webhook-events.
 */
export function discordInstalls(context: DiscordInstallsDeps): (event: unknown) => Promise<HttpResponse> {
  const read = signedBody(context.publicKey, context.now);
  return async (event) => {
    const request = read(event);
    if ('statusCode' in request) return request;
    const { body } = request;
    const type = textAt(body, 'event', 'type');
    // A PING has the type 0.
    if (numberAt(body, 'type') !== 1 || type === undefined) return TAKEN;
    const user = idAt(body, 'event', 'data', 'user', 'id');
    context.log.info('discord.install', { kind: type.slice(0, 50), user });
    if (type !== 'APPLICATION_DEAUTHORIZED' || user === undefined) return TAKEN;
    const when = Date.parse(textAt(body, 'event', 'timestamp') ?? '') || 0;
    const whose = { kind: 'person', user: userId(user), everywhere: true } as const;
    try {
      await sendErasure('discord', guildOf(undefined), whose, `removed-${user}-${when}`, context.queue);
      return TAKEN;
    } catch (error) {
      context.log.error('discord.install.lost', { error: errorName(error) });
      return AGAIN;
    }
  };
}

/** What the deployed function works with: the queue, and nothing else. */
export function discordInstallsDeps(config: DiscordEventsConfig, now: Clock = Date.now): DiscordInstallsDeps {
  const log = logger(config.logLevel, (line) => process.stdout.write(`${line}\n`), now);
  const { publicKey, taskQueueUrl, aws } = config;
  return { publicKey, queue: sqsQueue(taskQueueUrl, createAwsCall(aws)), now, log };
}
