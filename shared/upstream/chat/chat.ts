import type { UpstreamConfig } from '../config.ts';
import type { Client } from '../http/client.ts';
import { Calibration } from '../models/estimate.ts';
import type { Models } from '../models/models.ts';
import { RejectedFields } from '../models/rejected-fields.ts';
import { type PlanContext, createPlan } from './request-plan.ts';
import { completeChat, streamChat } from './stream.ts';
import {
  requestStructured,
  type StructuredOptions,
  type StructuredResult,
  type StructuredRequest,
} from './structured/structured.ts';
import type { ChatEvent, ChatOptions, ChatRequest, Completion } from '../chat-types.ts';

/** Default `max_tokens` when neither the request nor the configuration sets it: room for a long answer with reasoning. */
const DEFAULT_MAX_TOKENS = 4_096;

export type Chat = {
  /** Streams a completion; see `streamChat`. Sends nothing until the first event is requested. */
  readonly stream: (request: ChatRequest, options?: ChatOptions) => AsyncIterable<ChatEvent>;
  /** Returns a whole completion without streaming. */
  readonly complete: (request: ChatRequest, options?: ChatOptions) => Promise<Completion>;
  /** Returns a JSON value that fits a schema; see `requestStructured`. */
  readonly structured: (request: StructuredRequest, options?: StructuredOptions) => Promise<StructuredResult>;
};

export function createChat(
  client: Client,
  models: Models,
  settings: Pick<UpstreamConfig, 'maxTokens' | 'fitToModel' | 'adaptBody'>,
): Chat {
  const context: PlanContext = {
    client,
    models,
    calibration: new Calibration(),
    maxTokens: settings.maxTokens ?? DEFAULT_MAX_TOKENS,
    fitToModel: settings.fitToModel ?? false,
    adaptBody: settings.adaptBody ?? ((body) => body),
    rejectedFields: new RejectedFields(client.time.now),
    endTagOnly: new Set(),
  };
  const complete: Chat['complete'] = (request, options = {}) =>
    completeChat(client, createPlan(request, false, context, options), options);
  return {
    stream: (request, options = {}) =>
      streamChat(client, createPlan(request, true, context, options), options),
    complete,
    structured: (request, { onCompletion, ...options } = {}) =>
      requestStructured(request, async (each) => {
        const completion = await complete(each, options);
        onCompletion?.(completion);
        return completion;
      }),
  };
}
