export * from './turns/turn-intake.ts';
export { Collections, type CollectionsConfig } from './knowledge/collections.ts';
export type { KnowledgeDocument } from './knowledge/document-item.ts';
export type { CollectionPlace } from './keys/document-keys.ts';
export {
  type BudgetPoliciesConfig,
  BudgetPolicies,
  type Booking,
  type ModelUsage,
  type UsageCounters,
} from './billing/accounts.ts';
export * from './rate-limits/breakers.ts';
export * from './installs/gateway-checkpoints.ts';
export * from './dynamodb/versioned-text.ts';
export * from './rate-limits/token-buckets.ts';
export * from './rate-limits/stream-counter.ts';
export { type FormDraft, FormDrafts } from './interactions/form-drafts.ts';
export * from './dynamodb/dynamo.ts';
export { type FactResult, Facts, type NewFact } from './facts/facts.ts';
export * from './privacy/erasure.ts';
export { ErasureMoments, type ErasedSubject } from './privacy/erasure-moments.ts';
export { ExportLimit } from './privacy/export-limit.ts';
export { type ExportEntry, type ExportedPage, Exports } from './privacy/export.ts';
export { type RetentionPeriod, type RetentionPage, RetentionRun } from './privacy/apply-retention.ts';
export * from './installs/installs.ts';
export { confirmationCode } from './tools/confirmation-code.ts';
export { createJobId, type NewJob, Jobs, hashSecret } from './jobs/jobs.ts';
export {
  API_REQUEST_HOURS,
  type ApiRequest,
  type ApiRequestFailure,
  ApiRequests,
} from './integrations/api-requests.ts';
export { type Webhook, Webhooks } from './integrations/webhooks.ts';
export { Integrations } from './integrations/integrations.ts';
export { type LiveAnswer, LiveAnswers } from './turns/live-answers.ts';
export type { ThreadHistory, HistoryTurn } from './turns/history.ts';
export { createModelListWriter, type KnownModel, readKnownModels } from './rate-limits/known-models.ts';
export * from './billing/ledger.ts';
export * from './turns/turn-signals.ts';
export type { SignalResult, TurnsConfig } from './turns/turn-table.ts';
export * from './settings/workspace-keys.ts';
export { type CallState, type ProposedCall, ProposedCalls } from './tools/proposed-calls.ts';
export { type PendingSignIn, type ToolCredential, ToolCredentials } from './tools/tool-credentials.ts';
export { type LoggedToolCall, ToolLog } from './tools/tool-log.ts';
export { type StoredTool, type ToolPlace, type ToolServer, ToolServerStore } from './tools/tool-servers.ts';
export { type AnswerFile, AnswerFiles } from './interactions/answer-files.ts';
export { MAX_COMMENT_LENGTH, type RatedAnswer, type Rating, Ratings } from './interactions/ratings.ts';
export { type FilledPage, type IndexState, PersonIndex } from './privacy/person-index.ts';
export { Posts } from './turns/posts.ts';
export { UserLocales } from './settings/user-locales.ts';
export * from './settings/presets.ts';
export * from './settings/settings-store.ts';
export { type SettingsPlace, type StoredLevel, levelSortKey, settingsPartition } from './keys/item-keys.ts';
export type { RecordingRef } from './keys/recording-keys.ts';
export type { RecordingSignal } from './recordings/recording-signals.ts';
export type { StoredChunk, StoredRecording } from './recordings/recording-item.ts';
export type { SpeechProgress, SpeechRequest } from './recordings/speech-progress.ts';
export { Recordings } from './recordings/recordings.ts';
export type { FoundTurn } from './turns/turn-lookup.ts';
export { ScanLease } from './privacy/scan-lease.ts';
export * from './rate-limits/key-rate-limiter.ts';
export {
  type VideoDraft,
  DiscordFrontStore,
  type FormNote,
  type NotePlace,
} from './interactions/discord-front-store.ts';
export { findTargetMessage } from './interactions/form-context.ts';
export { TaskAttempts } from './interactions/task-attempts.ts';
export { InteractionTokens } from './interactions/interaction-tokens.ts';
export type { DueTurn } from './turns/due-turns.ts';
export { TurnTooLargeError } from './dynamodb/turn-compression.ts';
export * from './turns/turns.ts';
export type { TurnClaim, TurnSignal, StoredSignal, PendingQuestion } from './turns/turn-item.ts';
export * from './rate-limits/rolling-windows.ts';
export { fetchDynamo, fetchScan } from './dynamodb/fetch-client.ts';
export { sdkDynamo, sdkScan } from './dynamodb/sdk-client.ts';
export { type DynamoSend, dynamoSend } from './dynamodb/json-protocol.ts';
export { presetNames } from './settings/preset-names.ts';
export {
  type DailyAccount,
  queryDailyAccounts,
  type ScannedAccounts,
  scanDailyAccounts,
} from './billing/scan-accounts.ts';
export {
  type LimitUsage,
  type OpenBreaker,
  type ScannedLimits,
  scanLimits,
} from './rate-limits/scan-limits.ts';
export { type Schedule, type ScheduleContent, type SchedulePlace, Schedules } from './schedules/schedules.ts';
