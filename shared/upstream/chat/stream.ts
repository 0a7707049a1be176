import { MalformedAnswerError, UpstreamError } from '../errors.ts';
import { type Attempt, attempts, type Client, credentials, endpoint, exchange } from '../http/client.ts';
import { requestIdOf } from '../http/headers.ts';
import { isObject, parseJson } from '../http/json.ts';
import { type Answer, readText } from '../http/transport.ts';
import { Draft } from './draft.ts';
import { AnswerReader } from './reader.ts';
import type { WireRequest } from './request.ts';
import type { ChatEvent, ChatOptions, Completion } from './types.ts';

/** A completion in one piece is text; this is more than any model's context. */
const MAX_COMPLETION_BYTES = 32 * 1024 * 1024;

/** How a chat call goes about its request. */
export type Plan = {
  /** The models to try, in order. */
  readonly models: () => Promise<readonly string[]>;
  /** The body for one of them. */
  readonly bodyFor: (model: string) => Promise<WireRequest>;
  /** Told of a whole answer. */
  readonly ended: (completion: Completion) => void;
  /** Told of a failure. */
  readonly failed: (error: UpstreamError) => void;
};

/**
 * Streams one completion. Requests are made again only until the first event of an answer has come; what fails later is
 * thrown with the text so far in `partialText`. It never ends without an `end` event. Leaving the loop early closes the
 * connection.
 */
export async function* streamChat(
  client: Client,
  plan: Plan,
  options: ChatOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  let opened: Opened | undefined;
  try {
    const models = await plan.models();
    opened = await attempts(client, { ...options, repeatable: true }, models, (attempt) =>
      open(client, attempt, plan, options),
    );
    const { reader, draft } = opened;
    for (let { turn } = opened; ; turn = await reader.turn()) {
      const { text, reasoning } = draft.take();
      if (reasoning !== '') yield { type: 'reasoning', text: reasoning };
      if (text !== '') yield { type: 'text', text };
      if (turn === 'over') break;
    }
    const completion = reader.completion();
    opened.attempt.watch.end();
    reader.close();
    plan.ended(completion);
    yield { type: 'end', ...completion };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (opened !== undefined) error.partialText = opened.draft.text;
    plan.failed(error);
    throw error;
  } finally {
    opened?.attempt.watch.end();
    opened?.reader.close();
  }
}

type Opened = {
  readonly attempt: Attempt;
  readonly reader: AnswerReader;
  readonly draft: Draft;
  /** What the first turn of the reader gave. */
  readonly turn: 'more' | 'over';
};

/** Sends the request and waits for the first event of its answer. */
async function open(client: Client, attempt: Attempt, plan: Plan, options: ChatOptions): Promise<Opened> {
  const { watch, model, key } = attempt;
  const wire = await watch.race(plan.bodyFor(model));
  watch.limit('first_byte', client.timeouts.firstByte);
  watch.limit('first_token', client.timeouts.firstToken);
  const answer = await post(client, attempt, wire, true, options);
  const draft = new Draft({ key, model, requestId: requestIdOf(answer.headers), omitted: wire.omitted });
  const reader = new AnswerReader(answer, draft, watch, {
    limits: client.timeouts,
    sleep: client.time.sleep,
  });
  try {
    const turn = await reader.turn();
    // Over without an event: if that is no answer, it is this attempt that failed, and another may be made.
    if (turn === 'over') reader.completion();
    return { attempt, reader, draft, turn };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** One completion in one piece. */
export async function completeChat(client: Client, plan: Plan, options: ChatOptions): Promise<Completion> {
  try {
    const models = await plan.models();
    const completion = await attempts(client, { ...options, repeatable: false }, models, (attempt) =>
      askOnce(client, attempt, plan, options),
    );
    plan.ended(completion);
    return completion;
  } catch (error) {
    if (error instanceof UpstreamError) plan.failed(error);
    throw error;
  }
}

async function askOnce(
  client: Client,
  attempt: Attempt,
  plan: Plan,
  options: ChatOptions,
): Promise<Completion> {
  const { watch, key, model } = attempt;
  const wire = await watch.race(plan.bodyFor(model));
  watch.limit('total', client.timeouts.completion);
  const answer = await post(client, attempt, wire, false, options);
  const text = await readText(answer, MAX_COMPLETION_BYTES, watch);
  watch.end();
  const value = parseJson(text);
  const requestId = requestIdOf(answer.headers);
  if (!isObject(value)) {
    throw new MalformedAnswerError('The upstream answered with no JSON.', { code: 'bad_json', requestId });
  }
  const draft = new Draft({ key, model, requestId, omitted: wire.omitted });
  draft.add(value);
  return draft.end(true, false);
}

function post(
  client: Client,
  attempt: Attempt,
  wire: WireRequest,
  stream: boolean,
  options: ChatOptions,
): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    ...credentials(attempt.key, client.shape === 'legacy' ? 'x-api-key' : 'bearer'),
  };
  const url = endpoint(client.baseUrl, '/v1/chat/completions');
  // As bytes: a text would be held beside them until the answer is over, twenty megabytes for three pictures.
  const body = Buffer.from(JSON.stringify(wire.body));
  return exchange(client, attempt, { method: 'POST', url, headers, body }, { ...options, chat: true });
}
