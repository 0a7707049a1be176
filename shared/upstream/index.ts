export { createUpstream, type Upstream } from './upstream.ts';
export type { CallOptions, RateLimitSeen, Shape, Time, Timeouts, UpstreamConfig } from './config.ts';
export type {
  ChatEvent,
  ChatOptions,
  ChatRequest,
  Completion,
  ContentPart,
  JsonSchema,
  Message,
  ResponseFormat,
  TokenLogprob,
  Tool,
  ToolCall,
  Usage,
} from './chat/types.ts';
export type { Chat } from './chat/chat.ts';
export * from './errors.ts';
