export { createUpstream, type Upstream } from './upstream.ts';
export type {
  AdaptBody,
  AttemptOutcome,
  CallOptions,
  RateLimitInfo,
  ApiShape,
  Clock,
  Timeouts,
  UpstreamConfig,
  RequestWindows,
} from './config.ts';
export * from './errors.ts';

export type { Chat } from './chat/chat.ts';
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
} from './chat-types.ts';
export { pairToolMessages } from './chat/pair-tool-messages.ts';
export { type ValidationResult, validateJson, parseToolArguments } from './chat/structured/schema.ts';
export type { StructuredResult, StructuredRequest } from './chat/structured/structured.ts';

export type { Model, Pricing, Retirement } from './models/model.ts';
export type { ModelList, Models } from './models/models.ts';
export { calculateOutputBudget, type OutputBudget } from './models/budget.ts';
export { Calibration, estimateRequest, estimateText } from './models/estimate.ts';
export { fitRequest, type FittedRequest } from './models/fit-request.ts';
export { type Cost, calculateCost, toDecimalDollars, parsePrice } from './models/pricing.ts';

export { LANGUAGES, languageName } from './speech/languages.ts';
export type { Speech, SpeechRequest, TranslationRequest } from './speech/speech.ts';
export type { Transcript, Word } from './speech/transcript.ts';
export { readWav, type Wav, writeWav } from './speech/wav.ts';

export { createIdempotencyKey } from './vision/idempotency-key.ts';
export type { JobHandle, JobStatus } from './vision/job-handle.ts';
export type { JobState } from './vision/job-state.ts';
export type { Video, VideoMetadata } from './vision/video.ts';
export type { JobResult, ListedJob, Payload, SubmitRequest, Vision } from './vision/vision.ts';
export type { VisionModel } from './vision/vision-models.ts';
export { VISION_LIMITS, type VisionEndpoint } from './vision/request-windows.ts';
