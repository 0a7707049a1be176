import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import type { Log } from './deps.ts';
import { type Body, readEnvelope } from './envelope.ts';
import { type Header, readClaim, verify } from './verify.ts';

/** A request as it came, its body as bytes. */
export type SlackRequest = { readonly body: Uint8Array; readonly header: Header };
export type SlackResponse = {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};

export type FrontReceiverDeps = {
  /**
   * The signing secrets that count at this moment; none if they could not be had. Must not load anything because it was
   * asked: the caller has not shown yet that it is Slack.
   */
  readonly secrets: () => Promise<readonly string[]>;
  readonly now: () => number;
  readonly log: Logs;
};

/** By importance. What is dropped is the most part of a busy workspace's traffic, and goes to `debug`. */
export type Logs = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Log>>;

/** A listener throws it for a body that is not as its type says. `code` keeps Bolt from wrapping it. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly code = 'parley_unreadable';
}

/** A listener throws it when it could not do its part, so that Slack sends the event again. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
  readonly code = 'parley_not_taken';
}

/**
 * Takes Slack's requests for a Bolt app: signature over the raw bytes first, then everything else. In contrast to
 * Bolt's own for Lambda it parses nothing unsigned, refuses moments in the future, answers a check of the certificate
 * only if it is signed, and waits for the listeners before it answers. Whoever has no secret gets 401, and never a 5xx.
 */
export class FrontReceiver implements Receiver {
  readonly #deps: FrontReceiverDeps;
  #app: App | undefined;

  constructor(deps: FrontReceiverDeps) {
    this.#deps = deps;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Nothing to start: requests are handed in. */
  start(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** Answers one request, once all that it asks for is done. Never rejects. The caller limits the body's size. */
  async handle({ body, header }: SlackRequest): Promise<SlackResponse> {
    const claim = readClaim(header, this.#deps.now());
    if (!claim || !verify(body, claim, await this.#deps.secrets())) return answer(401);
    const envelope = readEnvelope(body, header('content-type'));
    switch (envelope?.kind) {
      case undefined:
        this.#deps.log.warn('slack.unreadable', { bytes: body.byteLength });
        return answer(400);
      case 'ssl-check':
        return answer(200);
      case 'url-verification':
        return answer(200, { challenge: envelope.challenge });
      case 'unknown':
        // Such as `app_rate_limited`: Slack holds back events of a workspace that has more than 30,000 an hour.
        this.#deps.log.warn('slack.dropped', { reason: 'type', type: envelope.type });
        return answer(200);
      case 'listen':
        return this.#route(envelope.body, header);
    }
  }

  async #route(body: Body, header: Header): Promise<SlackResponse> {
    let content: unknown;
    const event: ReceiverEvent = {
      body: { ...body },
      // Bolt acknowledges an event before its listeners run; here it only notes what to answer when they are done.
      ack: async (said: unknown) => {
        content = said;
      },
      ...retry(header),
    };
    try {
      await this.#app?.processEvent(event);
      return answer(200, content);
    } catch (error) {
      const status = error instanceof NotTaken ? 503 : 400;
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.name : undefined;
      this.#deps.log.error('slack.failed', {
        status,
        error: error instanceof Error ? error.name : 'unknown',
        reason: cause,
      });
      return answer(status);
    }
  }
}

function retry(header: Header): Pick<ReceiverEvent, 'retryNum' | 'retryReason'> {
  const num = header('x-slack-retry-num');
  const reason = header('x-slack-retry-reason');
  return {
    ...(num === undefined ? {} : { retryNum: Number(num) }),
    ...(reason === undefined ? {} : { retryReason: reason }),
  };
}

function answer(statusCode: number, content: unknown = ''): SlackResponse {
  if (typeof content === 'string') return { statusCode, body: content };
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
}
