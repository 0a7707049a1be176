import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { getErrorFacts } from '../../../utils/index.ts';
import type { Log } from '../deps.ts';
import { type Body, readEnvelope } from './parse-body.ts';
import { type Header, readClaim, verify } from './verify.ts';

/** An HTTP request; its body is the bytes as sent. */
export type SlackRequest = { readonly body: Uint8Array; readonly header: Header };
export type SlackResponse = {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};

export type FrontReceiverDeps = {
  /**
   * The signing secrets that are valid now; none if they could not be loaded. Must not load them on demand: the sender is
   * not verified yet.
   */
  readonly secrets: () => Promise<readonly string[]>;
  readonly now: () => number;
  readonly log: Logs;
};

/** By level. Dropped events are most of the traffic of a busy workspace and have the level `debug`. */
export type Logs = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Log>>;

/** A listener throws it for a body without the fields that its type requires. Slack gets a 400. */
export class UnreadableBodyError extends Error {
  override readonly name = 'UnreadableBodyError';
}

/** A listener throws it when it could not record or enqueue. Slack gets a 503 and sends an event again. */
export class NotAcceptedError extends Error {
  override readonly name = 'NotAcceptedError';
}

/**
 * The receiver of the front's Bolt app. It verifies the signature over the raw bytes first; Bolt's own AwsLambdaReceiver
 * parses first. Without a valid signature it parses nothing, calls nothing and responds 401, never 5xx.
 *
 * `ack()` sets the response, which is sent when the listeners have ended: Lambda freezes the process with the response,
 * and a question must be recorded before Slack gets its 200. A listener that fails turns the response into 503 or 400.
 */
export class FrontReceiver implements Receiver {
  readonly #deps: FrontReceiverDeps;
  #app: App | undefined;

  constructor(deps: FrontReceiverDeps) {
    this.#deps = deps;
  }

  /** Bolt's App calls it in its constructor. */
  init(app: App): void {
    this.#app = app;
  }

  /** Does nothing: Lambda calls `handle`. */
  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  /** Responds to one request when its listeners have ended. Never rejects. The caller limits the size of the body. */
  async handle({ body, header }: SlackRequest): Promise<SlackResponse> {
    const claim = readClaim(header, this.#deps.now());
    if (!claim || !verify(body, claim, await this.#deps.secrets())) return respond(401);
    const envelope = readEnvelope(body, header('content-type'));
    switch (envelope?.kind) {
      case undefined:
        this.#deps.log.warn('slack.request-unreadable', { bytes: body.byteLength });
        return respond(400);
      case 'ssl-check':
        return respond(200);
      case 'url-verification':
        return respond(200, { challenge: envelope.challenge });
      case 'unknown':
        // Such as `app_rate_limited`: Slack stops sending events of a workspace that has more than 30,000 an hour.
        this.#deps.log.warn('slack.dropped', { reason: 'type', type: envelope.type });
        return respond(200);
      case 'listen':
        return this.#process(envelope.type, envelope.body, header);
    }
  }

  async #process(type: string, body: Body, header: Header): Promise<SlackResponse> {
    let isAcknowledged = false;
    let content: unknown;
    const event: ReceiverEvent = {
      body,
      ack: async (response) => {
        isAcknowledged = true;
        content = response;
      },
      ...readRetry(header),
    };
    try {
      await this.#app?.processEvent(event);
    } catch (error) {
      return this.#refuse(error);
    }
    // Slack would take any other status for a failure and show it to the person.
    if (!isAcknowledged) this.#deps.log.debug('slack.dropped', { reason: 'no-listener', type });
    return respond(200, content);
  }

  #refuse(thrown: unknown): SlackResponse {
    const errors = listenerErrors(thrown);
    const failed = errors.find((error) => error instanceof NotAcceptedError) ?? errors[0];
    const status = failed instanceof NotAcceptedError ? 503 : 400;
    this.#deps.log.error('slack.request-failed', {
      status,
      // Bolt itself throws only while it looks for the type and workspace in a body that lacks them.
      ...getErrorFacts(failed instanceof Error ? failed : new UnreadableBodyError()),
      reason: failed instanceof Error && failed.cause instanceof Error ? failed.cause.name : undefined,
    });
    return respond(status);
  }
}

/**
 * What listeners threw. Bolt wraps the error of one (`original`) or several (`originals`), unless it has a `code`. Empty for
 * an error of Bolt itself.
 */
function listenerErrors(thrown: unknown): unknown[] {
  if (!(thrown instanceof Error)) return [];
  if ('originals' in thrown && Array.isArray(thrown.originals)) return thrown.originals;
  if ('original' in thrown) return [thrown.original];
  return 'code' in thrown ? [thrown] : [];
}

/** Which retry of Slack's this is, for `context.retryNum` and `context.retryReason` of the listeners. */
function readRetry(header: Header): Pick<ReceiverEvent, 'retryNum' | 'retryReason'> {
  const retryNum = Number(header('x-slack-retry-num'));
  const retryReason = header('x-slack-retry-reason');
  return { ...(retryNum > 0 && { retryNum }), ...(retryReason !== undefined && { retryReason }) };
}

function respond(statusCode: number, content: unknown = ''): SlackResponse {
  if (typeof content === 'string') return { statusCode, body: content };
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
}
