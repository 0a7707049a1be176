import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { createHmac } from 'node:crypto';

export type ForwardOptions = {
  /** The address of the front. */
  readonly eventsUrl: string;
  /** Signs what is forwarded; the front has the same secret. */
  readonly signingSecret: string;
  readonly now: () => number;
};

const TIMEOUT_MS = 10_000;

/** A Bolt app without listeners: it forwards all that its receiver gets to the front, where the listeners are. */
export class ForwardingApp extends App {
  readonly #options: ForwardOptions;

  constructor(receiver: Receiver, options: ForwardOptions) {
    super({ receiver, authorize: async () => ({}), ignoreSelf: false, convoStore: false });
    this.#options = options;
  }

  override async processEvent(event: ReceiverEvent): Promise<void> {
    await forward(event, this.#options);
  }
}

/**
 * Posts one event to the front, signed, as Slack would over HTTP, and acknowledges it with the front's response. Rejects
 * without an acknowledgement when the front does not accept it; Slack then sends it again.
 */
export async function forward(
  { body, ack, retryNum, retryReason }: ReceiverEvent,
  { eventsUrl, signingSecret, now }: ForwardOptions,
): Promise<void> {
  const fields: Readonly<Record<string, unknown>> = body;
  const isEvent = fields['type'] === 'event_callback';
  const content = isEvent ? JSON.stringify(fields) : encodeForm(fields);
  const timestamp = String(Math.floor(now() / 1000));
  const signature = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${content}`).digest('hex');
  const response = await fetch(eventsUrl, {
    method: 'POST',
    body: content,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
      ...(retryNum !== undefined &&
        retryNum > 0 && {
          'x-slack-retry-num': String(retryNum),
          'x-slack-retry-reason': retryReason ?? '',
        }),
    },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the front answered ${response.status}`);
  await ack(parseResponse(text));
}

/** Over HTTP a slash command is a form, and an interaction is JSON in the field `payload` of a form. */
function encodeForm(fields: Readonly<Record<string, unknown>>): string {
  if (!('command' in fields)) return new URLSearchParams({ payload: JSON.stringify(fields) }).toString();
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(pairs).toString();
}

/** What the front responded, for the acknowledgement: JSON or the text of a message. Undefined if it is empty. */
function parseResponse(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
