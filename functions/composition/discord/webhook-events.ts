import { userId } from '../../../shared/domain/index.ts';
import { enqueueErasure } from '../../../shared/privacy/index.ts';
import { readId, readNumber, readString, toWorkspaceId } from '../../../shared/platforms/discord/index.ts';
import { createAwsCall, type Queue, createSqsQueue } from '../../../shared/aws/index.ts';
import {
  type DiscordEventsConfig,
  type HttpResponse,
  type Level,
  type Log,
  createProcessLog,
  type Clock,
} from '../../../shared/runtime/index.ts';
import { createSignedBodyReader } from './discord-front.ts';
import { getErrorFacts } from '../../../shared/utils/index.ts';

export type DiscordInstallsDeps = {
  /** The public key of the application, 64 hex characters. */
  readonly publicKey: string;
  readonly queue: Queue;
  readonly now: Clock;
  readonly log: Readonly<Record<Level, Log>>;
};

/** The response to every accepted event and to a PING. */
const NO_CONTENT: HttpResponse = { statusCode: 204, body: '' };
/** Discord retries for ten minutes. */
const AGAIN: HttpResponse = { statusCode: 503, body: '' };

/**
 * The handler of Discord's webhook events about installs of people (guild removals come over the gateway). The data of a
 * person who removed the app is erased everywhere. Never rejects. See docs:events/webhook-events.
 */
export function createDiscordEventHandler(
  context: DiscordInstallsDeps,
): (event: unknown) => Promise<HttpResponse> {
  const read = createSignedBodyReader(context.publicKey, context.now);
  return async (event) => {
    const request = read(event);
    if ('statusCode' in request) return request;
    const { body } = request;
    const type = readString(body, 'event', 'type');
    // Type 0 is a PING.
    if (readNumber(body, 'type') !== 1 || type === undefined) return NO_CONTENT;
    const user = readId(body, 'event', 'data', 'user', 'id');
    context.log.info('discord.authorization-changed', { kind: type.slice(0, 50), user });
    if (type !== 'APPLICATION_DEAUTHORIZED' || user === undefined) return NO_CONTENT;
    const when = Date.parse(readString(body, 'event', 'timestamp') ?? '') || 0;
    const scope = { kind: 'person', user: userId(user), everywhere: true } as const;
    try {
      await enqueueErasure(
        'discord',
        toWorkspaceId(undefined),
        scope,
        `removed-${user}-${when}`,
        context.queue,
      );
      return NO_CONTENT;
    } catch (error) {
      context.log.error('discord.erasure-enqueue-failed', getErrorFacts(error));
      return AGAIN;
    }
  };
}

/** The dependencies of the deployed function: only the queue. */
export function createDiscordEventDeps(config: DiscordEventsConfig): DiscordInstallsDeps {
  const now = Date.now;
  const log = createProcessLog(config.logLevel, now);
  const { publicKey, taskQueueUrl, aws } = config;
  return { publicKey, queue: createSqsQueue(taskQueueUrl, createAwsCall(aws)), now, log };
}
