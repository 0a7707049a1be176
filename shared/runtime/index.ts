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
  apiConfig,
  callbackConfig,
  canaryConfig,
  deadLettersConfig,
  environment,
  findInvalidValues,
  relayConfig,
  slackOAuthConfig,
  sweeperConfig,
  toolClientConfig,
  transcriberConfig,
  workerConfig,
  workerServiceConfig,
} from './config/config.ts';
export {
  type DiscordEventsConfig,
  type DiscordFrontConfig,
  type SlackFrontConfig,
  discordEventsConfig,
  discordFrontConfig,
  slackFrontConfig,
} from './config/front-config.ts';
export { redactValidationError } from './config/validation-error.ts';
export { type StreamRequest, type StreamResponse, streamHttp } from './http-stream.ts';
export { type HttpResponse, parseRequest } from './http.ts';
export { logLines } from './log-lines.ts';
export { type Facts, isFailureEvent, type Level, type Log, logger } from './log.ts';
export { type LimitSource, type MetricName, type Metrics, embeddedMetrics } from './metrics.ts';
export { NotPublicAddressError, publicLookup } from './public-address.ts';
export { callRecorder, noteCallError, takeCalls } from './outgoing-calls.ts';
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
export { newTrace, runInTrace, taskTrace } from './task-trace.ts';
export { type Clock, type Time, systemTime } from './time.ts';
export { type Trace, lambdaTrace, traceId } from './trace.ts';
