export { createUpstream, type Upstream } from './upstream.ts';
export type {
  AttemptOutcome,
  CallOptions,
  RateLimitSeen,
  Shape,
  Time,
  Timeouts,
  UpstreamConfig,
  Windows,
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
} from './chat/types.ts';
export { pairToolMessages } from './chat/history.ts';
export { type Checked, checkText, readArguments } from './chat/structured/schema.ts';
export type { Structured, StructuredRequest } from './chat/structured/structured.ts';

export type { Model, Pricing } from './models/model.ts';
export type { ModelList, Models } from './models/models.ts';
export { outputBudget, type OutputBudget } from './models/budget.ts';
export { Calibration, estimateRequest, estimateText } from './models/estimate.ts';
export { fit, type FittedRequest } from './models/fit.ts';
export { type Cost, costOf, dollars, parsePrice } from './models/pricing.ts';

export { LANGUAGES, languageName } from './speech/languages.ts';
export type { Speech, SpeechRequest, TranslationRequest } from './speech/speech.ts';
export type { Transcript, Word } from './speech/transcript.ts';
export { readWav, type Wav, writeWav } from './speech/wav.ts';

export { callbackRequestId, idempotencyKey, MAX_CALLBACK_BYTES } from './vision/callback.ts';
export type { JobHandle, JobStatus } from './vision/handle.ts';
export type { JobState } from './vision/status.ts';
export type { Video, VideoMetadata } from './vision/video.ts';
export type { JobResult, Payload, SubmitRequest, Vision } from './vision/vision.ts';
export { VISION_LIMITS, type VisionEndpoint } from './vision/windows.ts';
