export { RECONCILE_AFTER_MS, releaseClaim, withClaim } from './access/with-claim.ts';
export { answerQuestion } from './answer/answer-question.ts';
export { deleteBotMessages, deleteFollowUps } from './answer/delete-answer.ts';
export { type FailureNoticeContext, postFailureNotice } from './answer/post-failure-notice.ts';
export { reconcile } from './answer/reconcile.ts';
export { regenerateAnswer } from './answer/regenerate-answer.ts';
export { isAboutMergedQuestion, removesQuestion } from './answer/regenerate-request.ts';
export type { ChatContext } from './context.ts';
export { answerCost, formatCostLine, describeMasked, listMaskedKinds } from './display/answer-metrics.ts';
export { describeFailure, type FailureDescription, type MessageRecipient } from './display/error-messages.ts';
export { failureDetails, failureFacts, formatFailureFacts } from './display/failure-facts.ts';
export {
  readFairShareWeight,
  returnIfStillQueued,
  returnToQueue,
  MAX_IN_WORKER_WAIT_MS,
  MAX_RECHECK_MS,
  toHolder,
  waitForPermit,
} from './model/wait-for-permit.ts';
export { buildAnswerFiles, type TextFile } from './files/build-answer-files.ts';
export { findModelRefusal } from './model/model-refusal.ts';
export { RateLimitedRequest } from './model/rate-limited-request.ts';
export { getTotalMemoryBytes } from './prompt/fetch-files.ts';
export { resolveAttachments } from './prompt/read-attachments.ts';
