export {
  ByteBudget,
  type ByteReservation,
  MemoryLimitError,
  MemoryPermit,
  LargeWorkerNeededError,
} from './byte-budget.ts';
export {
  type AwsAccess,
  type AwsService,
  type ModelsConfig,
  type PlatformsConfig,
  type SlackOAuthConfig,
  type TranscriberConfig,
  type WorkerConfig,
  readApiConfig,
  readCallbackConfig,
  readCanaryConfig,
  readDeadLettersConfig,
  getEnvironment,
  findInvalidValues,
  readRelayConfig,
  readSlackOAuthConfig,
  readSweeperConfig,
  readToolClientConfig,
  readTranscriberConfig,
  readWorkerConfig,
  readWorkerServiceConfig,
} from './config/config.ts';
export {
  type DiscordEventsConfig,
  type DiscordFrontConfig,
  type SlackFrontConfig,
  readDiscordEventsConfig,
  readDiscordFrontConfig,
  readSlackFrontConfig,
} from './config/front-config.ts';
export { redactValidationError } from './config/validation-error.ts';
export { type StreamRequest, type StreamResponse, streamHttp } from './http-stream.ts';
export { type HttpResponse, parseRequest } from './http.ts';
export { logLines, writeLine } from './log-lines.ts';
export { type Facts, isFailureEvent, type Level, type Log, createLogger, createProcessLog } from './log.ts';
export { type LimitSource, type MetricName, type Metrics, createEmbeddedMetrics } from './metrics.ts';
export { NotPublicAddressError, createPublicLookup } from './public-address.ts';
export { createCallRecorder, noteCallError, takeCalls } from './outgoing-calls.ts';
export {
  ENV,
  INSTALL_ENCRYPTION_CONTEXT,
  KEYS,
  OPEN_INDEX,
  PERSON_INDEX,
  RECORDINGS,
  ROUTES,
  SECRET_PLACEHOLDER,
  TASKS,
  stackName,
  toolClientName,
} from './shared-names.ts';
export { createTrace, runInTrace, getTaskTrace } from './task-trace.ts';
export { type Clock, type Time, systemTime } from './time.ts';
export { type Trace, getLambdaTrace, parseTraceId } from './trace.ts';
