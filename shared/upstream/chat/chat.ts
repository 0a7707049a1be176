import type { Client } from '../http/client.ts';
import { currentBody } from './request.ts';
import { type BodyFor, completeChat, streamChat } from './stream.ts';
import type { ChatEvent, ChatOptions, ChatRequest, Completion } from './types.ts';

/** `max_tokens` where neither the request nor the configuration names one: a long chat answer, some reasoning included. */
export const DEFAULT_MAX_TOKENS = 4_096;

export type Chat = {
  /** Streams a completion; see `streamChat`. Nothing is sent before the first event is asked for. */
  readonly stream: (request: ChatRequest, options?: ChatOptions) => AsyncIterable<ChatEvent>;
  /** A completion in one piece. */
  readonly complete: (request: ChatRequest, options?: ChatOptions) => Promise<Completion>;
};

export function createChat(client: Client, maxTokens: number = DEFAULT_MAX_TOKENS): Chat {
  const bodies = (request: ChatRequest, stream: boolean): BodyFor => {
    return async (model) =>
      currentBody({ ...request, model, maxTokens: request.maxTokens ?? maxTokens }, stream);
  };
  return {
    stream: (request, options = {}) =>
      streamChat(client, chain(request, options), bodies(request, true), options),
    complete: (request, options = {}) =>
      completeChat(client, chain(request, options), bodies(request, false), options),
  };
}

/** The models to try, in order. */
function chain(request: ChatRequest, options: ChatOptions): string[] {
  return [request.model, ...(options.fallbackModels ?? [])];
}
