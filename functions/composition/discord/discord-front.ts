import { parsePlatformJson } from '../../../shared/domain/index.ts';
import { readMediaModels } from '../../../shared/video/jobs/index.ts';
import {
  type RawInteraction,
  readInteraction,
  readNumber,
  readString,
  PING,
  PONG,
  createMessageResponse,
  createVerifier,
} from '../../../shared/platforms/discord/index.ts';
import {
  type AwsCall,
  createAwsCall,
  AwsError,
  withSignal,
  SEND_MESSAGE,
  createShowMessage,
  createSqsQueue,
} from '../../../shared/aws/index.ts';
import {
  type DiscordFrontConfig,
  type HttpResponse,
  parseRequest,
  logLines,
  writeLine,
  type Log,
  type Clock,
} from '../../../shared/runtime/index.ts';
import { createDynamoSend, FrontStore } from '../../../shared/storage/index.ts';
import { getDiscordText } from '../../../shared/i18n/index.ts';
import { createDiscordSettings } from './discord-settings.ts';
import { createSuggestions } from './autocomplete.ts';
import { type InteractionDeps, respondToInteraction } from './respond-to-interaction.ts';
import { errorName, snowflakeToMs } from '../../../shared/utils/index.ts';

export type DiscordFrontDeps = {
  /** The public key of the application, 64 hex characters. */
  readonly publicKey: string;
  /** Returns the dependencies for one interaction. Their AWS requests end within `ms`. */
  readonly within: (ms: number) => InteractionDeps;
  readonly now: Clock;
  readonly log: { readonly error: Log };
};

const empty = (statusCode: number): HttpResponse => ({ statusCode, body: '' });

/** Verifies a request of Discord, then returns its body, or the response that refuses it. Nothing is parsed before. */
export function createSignedBodyReader(
  publicKey: string,
  now: Clock,
): (event: unknown) => { readonly body: unknown } | HttpResponse {
  const isSigned = createVerifier(publicKey);
  return (event) => {
    const request = parseRequest(event);
    if (!request) return empty(413);
    if (!isSigned(request.body, request.header, now())) return empty(401);
    try {
      return { body: parsePlatformJson(request.body.toString('utf8')) };
    } catch {
      return empty(400);
    }
  };
}

/** The handler of interactions: it verifies, parses, enqueues and responds. Never rejects. */
export function createDiscordFront(context: DiscordFrontDeps): (event: unknown) => Promise<HttpResponse> {
  const read = createSignedBodyReader(context.publicKey, context.now);
  return async (event) => {
    const request = read(event);
    if ('statusCode' in request) return request;
    if (readNumber(request.body, 'type') === PING) return json(PONG);
    const interaction = readInteraction(request.body, context.now());
    return interaction ? respond(interaction, context) : empty(400);
  };
}

/** The deadline of all calls for an interaction, in ms since it was created. Discord waits 3 s, including the network. */
const MAX_MS = 2_300;
/** The largest network delay that is counted, so that the calls have the rest in any case. */
const MAX_NETWORK_DELAY_MS = 1_200;
/** A longer delay means that the interaction is lost, or that its id holds no time. */
const LOST_MS = 3_000;
/** Time at the end to undo a message that the queue may have accepted. */
const UNDO_RESERVE_MS = 400;

async function respond(interaction: RawInteraction, context: DiscordFrontDeps): Promise<HttpResponse> {
  const networkDelayMs = context.now() - snowflakeToMs(interaction.id);
  const left =
    MAX_MS -
    (networkDelayMs > 0 && networkDelayMs < LOST_MS ? Math.min(networkDelayMs, MAX_NETWORK_DELAY_MS) : 0);
  try {
    const response = await respondToInteraction(interaction, context.within(left));
    return response ? json(response) : empty(202);
  } catch (error) {
    // The code of AWS, in the field of the name: the bundle has no room for a second field.
    const code = readString(error, 'cause', 'code') ?? readString(error, 'code');
    context.log.error('interaction.failed', { error: code ?? errorName(error) });
    const mayFollow = error instanceof AwsError && error.target === SEND_MESSAGE && error.mayHaveSucceeded;
    return json(createMessageResponse(getDiscordText(mayFollow ? 'unsure' : 'busy', interaction.locale)));
  }
}

const json = (body: object): HttpResponse => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/**
 * The dependencies of the deployed front. It calls nothing until a request is verified. `aws` aborts requests without a
 * signal of their own within a second.
 */
export function createDiscordFrontDeps(
  config: DiscordFrontConfig,
  now: Clock = Date.now,
  aws: AwsCall = createAwsCall(config.aws),
  after: (ms: number) => AbortSignal = (ms) => AbortSignal.timeout(ms),
): DiscordFrontDeps {
  const log = logLines({ allowedFields: ['error'], minLevel: config.logLevel, write: writeLine, now });
  const send = createDynamoSend(aws);
  const { conversationsTable: table, days, taskQueueUrl, publicKey, models } = config;
  const videoModels = readMediaModels(config.videoModels) ?? [];
  const settings = createDiscordSettings(send, table);
  const suggestions = createSuggestions({ send, table, configured: models, settings, now });
  return {
    publicKey,
    within: (ms) => ({
      settings,
      suggestions,
      videoModels,
      store: new FrontStore({ send: createDynamoSend(withSignal(aws, after(ms))), table, days, now }),
      queue: createSqsQueue(taskQueueUrl, withSignal(aws, after(ms - UNDO_RESERVE_MS))),
      showMessage: createShowMessage(taskQueueUrl, withSignal(aws, after(ms))),
      now,
    }),
    now,
    log,
  };
}
