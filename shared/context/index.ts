export type {
  Log,
  PermitDecision,
  PermitRequest,
  ProcessContext,
  QueueDelivery,
  RequestPermit,
  TaskResult,
  WorkerContext,
} from './ports.ts';
export { replyPrivately } from './private-reply.ts';
export { type Videos, videosDisabled, type VideoService, VideoUnreachableError } from './video-ports.ts';
