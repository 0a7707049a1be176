import { MalformedAnswerError, UpstreamError } from '../errors.ts';
import {
  type Attempt,
  runAttempts,
  type Client,
  createCredentialHeaders,
  sendAttempt,
} from '../http/client.ts';
import { getEndpointUrl } from '../http/endpoint-url.ts';
import { getRequestId } from '../http/headers.ts';
import { isObject, parseJson } from '../http/json.ts';
import { type HttpResponse, readText, requireUncompressed } from '../http/transport.ts';
import { CompletionBuilder } from './completion-builder.ts';
import { StreamReader } from './stream-reader.ts';
import type { WireRequest } from './request.ts';
import type { ChatEvent, ChatOptions, Completion } from '../chat-types.ts';

/** A completion is text; this is more than any model's context. */
const MAX_COMPLETION_BYTES = 32 * 1024 * 1024;

/** `mayReason`: the model may think before it sends anything; false only if the list of models says that it does not reason. */
export type PlannedRequest = WireRequest & { readonly mayReason: boolean };

/** How to send a chat request: the models, a body for each, and what to record afterwards. */
export type RequestPlan = {
  /** The models to try, in order. */
  readonly models: () => Promise<readonly string[]>;
  /** Builds the body for one of the models. */
  readonly bodyFor: (model: string) => Promise<PlannedRequest>;
  /** Leaves the field that the error names out of the model's next body. Returns whether the body changes. */
  readonly adaptRequest: (error: UpstreamError, model: string) => boolean;
  /** Whether the model's last answer to such a request had the end tag of its reasoning only (`</think>`). */
  readonly startsInReasoning: (model: string) => boolean;
  /** Records whether the model's answer had the end tag of its reasoning only. */
  readonly recordEndTag: (model: string, hasEndTagOnly: boolean) => void;
  /** Called with each complete answer. */
  readonly onCompletion: (completion: Completion) => void;
  /** Called with each failure. */
  readonly onError: (error: UpstreamError) => void;
};

/**
 * Streams one completion. Retries only until the first part of an answer has arrived; a later failure is thrown with
 * the text so far in `partialText`. A stream that ends without an error always ends with an `end` event. Leaving the
 * loop early closes the connection.
 */
export async function* streamChat(
  client: Client,
  plan: RequestPlan,
  options: ChatOptions,
): AsyncGenerator<ChatEvent, void, undefined> {
  let stream: OpenStream | undefined;
  try {
    const models = await plan.models();
    const { adaptRequest } = plan;
    stream = await runAttempts(
      client,
      { ...options, service: 'chat', repeatable: true, adaptRequest },
      models,
      (attempt) => openStream(client, attempt, plan, options),
    );
    const { reader, builder } = stream;
    for (let { firstResult: result } = stream; ; result = await reader.next()) {
      const { text, reasoning } = builder.takeDelta();
      if (reasoning !== '') yield { type: 'reasoning', text: reasoning };
      if (text !== '') yield { type: 'text', text };
      if (result === 'end') break;
    }
    const completion = reader.completion();
    stream.attempt.timeouts.end();
    reader.close();
    plan.onCompletion(completion);
    yield { type: 'end', ...completion };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    if (stream !== undefined) error.partialText = stream.builder.text;
    plan.onError(error);
    throw error;
  } finally {
    if (stream !== undefined) close(stream, plan);
  }
}

type OpenStream = {
  readonly attempt: Attempt;
  readonly reader: StreamReader;
  readonly builder: CompletionBuilder;
  /** The first result of `reader.next()` with content. */
  readonly firstResult: 'data' | 'end';
};

/** Sends the request and waits for the first part of the answer. Until then, a failed request may be repeated: events without content are no answer. */
async function openStream(
  client: Client,
  attempt: Attempt,
  plan: RequestPlan,
  options: ChatOptions,
): Promise<OpenStream> {
  const { timeouts, model, key } = attempt;
  const wireRequest = await timeouts.race(plan.bodyFor(model));
  const { firstByte, firstToken } = client.timeouts;
  // A server that loads the model first has more time in each attempt.
  if (!wireRequest.mayReason)
    timeouts.start('first_byte', Math.min(firstByte * (1 + attempt.slowStarts), firstToken));
  timeouts.start('first_token', firstToken);
  const response = await post(client, attempt, wireRequest, true, options);
  requireUncompressed(response);
  const builder = new CompletionBuilder({
    key,
    model,
    requestId: getRequestId(response.headers),
    omitted: wireRequest.omitted,
    startsInReasoning: plan.startsInReasoning(model),
  });
  const reader = new StreamReader(response, builder, timeouts, {
    limits: client.timeouts,
    readIntervalMs: client.readIntervalMs,
    time: client.time,
  });
  try {
    let result = await reader.next();
    while (result === 'data' && !builder.hasContent && builder.finishReason === undefined)
      result = await reader.next();
    // Ended without an event: when that is not a complete answer, this attempt failed and may be retried.
    if (result === 'end') reader.completion();
    return { attempt, reader, builder, firstResult: result };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** Closes a stream, whether it ended, failed or was left. */
function close({ attempt, reader, builder }: OpenStream, plan: RequestPlan): void {
  attempt.timeouts.end();
  reader.close();
  builder.endText(false);
  plan.recordEndTag(attempt.model, builder.hasEndTagOnly);
}

/** Requests one completion without streaming. */
export async function completeChat(
  client: Client,
  plan: RequestPlan,
  options: ChatOptions,
): Promise<Completion> {
  try {
    const models = await plan.models();
    const { adaptRequest } = plan;
    const completion = await runAttempts(
      client,
      { ...options, service: 'chat', repeatable: false, adaptRequest },
      models,
      (attempt) => requestCompletion(client, attempt, plan, options),
    );
    plan.onCompletion(completion);
    return completion;
  } catch (error) {
    if (error instanceof UpstreamError) plan.onError(error);
    throw error;
  }
}

async function requestCompletion(
  client: Client,
  attempt: Attempt,
  plan: RequestPlan,
  options: ChatOptions,
): Promise<Completion> {
  const { timeouts, key, model } = attempt;
  const wireRequest = await timeouts.race(plan.bodyFor(model));
  timeouts.start('total', client.timeouts.completion);
  const response = await post(client, attempt, wireRequest, false, options);
  const text = await readText(response, MAX_COMPLETION_BYTES, timeouts);
  timeouts.end();
  const value = parseJson(text);
  const requestId = getRequestId(response.headers);
  if (!isObject(value)) {
    throw new MalformedAnswerError('The upstream sent a response that is not JSON.', {
      code: 'bad_json',
      requestId,
    });
  }
  const builder = new CompletionBuilder({ key, model, requestId, omitted: wireRequest.omitted });
  builder.addBody(value);
  return builder.build(true, false);
}

function post(
  client: Client,
  attempt: Attempt,
  wireRequest: WireRequest,
  stream: boolean,
  options: ChatOptions,
): Promise<HttpResponse> {
  const headers = {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    ...createCredentialHeaders(attempt.key, client.shape === 'legacy' ? 'x-api-key' : 'bearer'),
  };
  const url = chatUrl(client, attempt.model);
  // Bytes instead of a string: a string would stay in memory until the response ends, 20 MB for three images.
  const body = Buffer.from(JSON.stringify(wireRequest.body));
  return sendAttempt(client, attempt, { method: 'POST', url, headers, body }, { ...options, isChat: true });
}

/** The vision service answers chat completions of one model, under its own path. */
function chatUrl({ baseUrl, visionUrl, visionChat }: Client, model: string): URL {
  return visionUrl !== undefined && visionChat?.model === model
    ? getEndpointUrl(visionUrl, visionChat.path)
    : getEndpointUrl(baseUrl, '/v1/chat/completions');
}
