export { acceptAsk, type AcceptAskContext } from './api/accept-ask.ts';
export { ApiError, rateLimited } from './api/api-error.ts';
export { AnswerEvents, formatEvent } from './api/answer-events.ts';
export { toAnswerObject } from './api/answer-object.ts';
export { isRequestId, parseAskBody } from './api/ask-request.ts';
export { followAnswer, type FollowContext, isOver } from './api/follow-answer.ts';
export { createReadLimit, type TakeRead } from './api/read-limit.ts';
export { formatIntegrationKey, parseIntegrationKey } from './api-key.ts';
export type { IntegrationsContext } from './context.ts';
export { describeIntegrationRefusal } from './describe-refusal.ts';
export { mayBePrivate } from './private-channels.ts';
export { createChannelWebhookList } from './webhooks/channel-webhooks.ts';
export { deliverWebhook } from './webhooks/deliver-webhook.ts';
export { enqueueFailureWebhook, enqueueWebhook } from './webhooks/enqueue-webhook.ts';
export { MAX_WEBHOOK_FAILURES, nextRetryMs } from './webhooks/retry-webhook.ts';
export { formatWebhookSecret, signWebhook } from './webhooks/sign-webhook.ts';
export {
  giveUpIntegrationQuestion,
  type GiveUpQuestionContext,
  postIntegrationQuestion,
} from './post-question.ts';
