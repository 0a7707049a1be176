export * from '../chat/answer/answer-question.ts';
export * from './handle-dead-letter.ts';
export { DEFAULTS, noBreakers, noWaitQueue } from '../context/ports.ts';
export type {
  Chat,
  CompletionEvent,
  ChatOptions,
  QueueDelivery,
  ProcessContext,
  WorkerContext,
  ListedModel,
  Log,
  Settings,
  RequestPermits,
  TaskResult,
} from '../context/ports.ts';
export * from '../privacy/fill-person-index.ts';
export * from '../intake/handle-event.ts';
export * from './refuse-late-writes.ts';
export * from '../intake/accept-question.ts';
export * from '../chat/answer/reconcile.ts';
export * from './requeue-stuck-tasks.ts';
export { type Videos, type VideoService, videosDisabled, VideoUnreachable } from '../context/video-ports.ts';
export * from '../voice/transcription/transcribe-task.ts';
export type { TranscriptionClient, VoiceContext } from '../voice/ports.ts';
export * from './dispatch-task.ts';
