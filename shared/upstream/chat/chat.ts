import type { UpstreamConfig } from '../config.ts';
import type { Client } from '../http/client.ts';
import { Calibration } from '../models/estimate.ts';
import type { Models } from '../models/models.ts';
import { type Planning, planFor } from './plan.ts';
import { completeChat, streamChat } from './stream.ts';
import { askStructured, type Structured, type StructuredRequest } from './structured/structured.ts';
import type { ChatEvent, ChatOptions, ChatRequest, Completion } from './types.ts';

/** `max_tokens` where neither the request nor the configuration names one: a long chat answer, some reasoning included. */
export const DEFAULT_MAX_TOKENS = 4_096;

export type Chat = {
  /** Streams a completion; see `streamChat`. Nothing is sent before the first event is asked for. */
  readonly stream: (request: ChatRequest, options?: ChatOptions) => AsyncIterable<ChatEvent>;
  /** A completion in one piece. */
  readonly complete: (request: ChatRequest, options?: ChatOptions) => Promise<Completion>;
  /** A JSON value that fits a schema; see `askStructured`. */
  readonly structured: (request: StructuredRequest, options?: ChatOptions) => Promise<Structured>;
};

export function createChat(
  client: Client,
  models: Models,
  settings: Pick<UpstreamConfig, 'maxTokens' | 'fitToModel'>,
): Chat {
  const planning: Planning = {
    client,
    models,
    calibration: new Calibration(),
    maxTokens: settings.maxTokens ?? DEFAULT_MAX_TOKENS,
    fitToModel: settings.fitToModel ?? false,
  };
  const complete: Chat['complete'] = (request, options = {}) =>
    completeChat(client, planFor(request, false, planning, options), options);
  return {
    stream: (request, options = {}) => streamChat(client, planFor(request, true, planning, options), options),
    complete,
    structured: (request, options = {}) => askStructured(request, (each) => complete(each, options)),
  };
}
