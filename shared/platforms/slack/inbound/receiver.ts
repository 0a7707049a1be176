import type { Log } from '../deps.ts';
import { type Body, readEnvelope } from './parse-body.ts';
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
  /** Takes in what a good signature vouches for. */
  readonly listen: Listen;
  readonly log: Logs;
};

/**
 * Does what a body of this type asks for, and resolves with what Slack is answered, if it is to be told anything. Throws
 * Unreadable or NotAcceptedError.
 */
export type Listen = (type: string, body: Body) => Promise<unknown>;

/** By importance. What is dropped is the most part of a busy workspace's traffic, and goes to `debug`. */
export type Logs = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Log>>;

/** A listener throws it for a body that is not as its type says. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** A listener throws it when it could not do its part, so that Slack sends the event again. */
export class NotAcceptedError extends Error {
  override readonly name = 'NotTaken';
}

/**
 * Takes Slack's requests: signature over the raw bytes first, then everything else. Nothing unsigned is parsed, and a
 * check of the certificate is answered only if it is signed. Whoever has no secret gets 401, and never a 5xx.
 */
export class FrontReceiver {
  readonly #deps: FrontReceiverDeps;

  constructor(deps: FrontReceiverDeps) {
    this.#deps = deps;
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
        return this.#listen(envelope);
    }
  }

  async #listen({ type, body }: { readonly type: string; readonly body: Body }): Promise<SlackResponse> {
    try {
      return answer(200, await this.#deps.listen(type, body));
    } catch (error) {
      const status = error instanceof NotAcceptedError ? 503 : 400;
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

function answer(statusCode: number, content: unknown = ''): SlackResponse {
  if (typeof content === 'string') return { statusCode, body: content };
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
}
