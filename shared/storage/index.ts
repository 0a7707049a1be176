export { TurnIntake } from './turns/turn-intake.ts';
export { Collections, type CollectionsConfig } from './knowledge/collections.ts';
export type { KnowledgeDocument } from './knowledge/document-item.ts';
export type { CollectionPlace } from './keys/document-keys.ts';
export {
  type AccountCounters,
  BudgetPolicies,
  policyKey,
  type ModelUsage,
  type UsageCounters,
} from './billing/accounts.ts';
export { Breakers } from './rate-limits/breakers.ts';
export { GatewayCheckpoints } from './installs/gateway-checkpoints.ts';
export { VersionedText } from './dynamodb/versioned-text.ts';
export { TokenBuckets } from './rate-limits/token-buckets.ts';
export { StreamCounter } from './rate-limits/stream-counter.ts';
export { type FormDraft, FormDrafts } from './interactions/form-drafts.ts';
export { type Dynamo, ConditionFailedError, type TableScan } from './dynamodb/dynamo.ts';
export { Facts } from './facts/facts.ts';
export { type ErasureConfig, type MessageRemoval, Erasure } from './privacy/erasure.ts';
export type { ErasureScope } from './privacy/erasure-scope.ts';
export { ErasureMoments, type ErasedSubject } from './privacy/erasure-moments.ts';
export { ExportLimit } from './privacy/export-limit.ts';
export { type ExportEntry, type ExportedPage, Exports } from './privacy/export.ts';
export { type RetentionPeriod, RetentionRun } from './privacy/apply-retention.ts';
export { type Install, Installs } from './installs/installs.ts';
export { createConfirmationCode } from './tools/confirmation-code.ts';
export { createJobId, type NewJob, Jobs, hashSecret } from './jobs/jobs.ts';
export { type ApiRequest, type ApiRequestFailure, ApiRequests } from './integrations/api-requests.ts';
export { type Webhook, Webhooks } from './integrations/webhooks.ts';
export { Integrations, isEqualInConstantTime } from './integrations/integrations.ts';
export { type LiveAnswer, LiveAnswers } from './turns/live-answers.ts';
export type { ThreadHistory } from './turns/history.ts';
export { createModelListWriter, type KnownModel, readKnownModels } from './rate-limits/known-models.ts';
export { type AccountKey, Ledger } from './billing/ledger.ts';
export { type TurnLookup, TurnSignals } from './turns/turn-signals.ts';
export type { SignalResult, TurnsConfig } from './turns/turn-table.ts';
export { type KeyPlace, type WorkspaceKey, WorkspaceKeys } from './settings/workspace-keys.ts';
export { type ProposedCall, ProposedCalls } from './tools/proposed-calls.ts';
export type { StoredCredential, ToolCredential } from './tools/sealed-credential.ts';
export { ToolCredentials } from './tools/tool-credentials.ts';
export { type LoggedToolCall, ToolLog } from './tools/tool-log.ts';
export { type StoredTool, type ToolPlace, type ToolServer, ToolServerStore } from './tools/tool-servers.ts';
export { AnswerFiles } from './interactions/answer-files.ts';
export { type Rating, Ratings } from './interactions/ratings.ts';
export { type FilledPage, type IndexState, PersonIndex } from './privacy/person-index.ts';
export { Posts } from './turns/posts.ts';
export { UserLocales } from './settings/user-locales.ts';
export { type Preset, PresetChangedError, Presets } from './settings/presets.ts';
export { SettingConflictError, SettingsStore } from './settings/settings-store.ts';
export { type SettingsPlace, type StoredLevel, levelSortKey, settingsPartition } from './keys/item-keys.ts';
export type { RecordingRef } from './keys/recording-keys.ts';
export type { RecordingSignal } from './recordings/recording-signals.ts';
export type { StoredChunk, StoredRecording } from './recordings/recording-item.ts';
export type { SpeechProgress, SpeechRequest } from './recordings/speech-progress.ts';
export { Recordings } from './recordings/recordings.ts';
export type { FoundTurn } from './turns/turn-lookup.ts';
export { ScanLease } from './privacy/scan-lease.ts';
export { KeyRateLimiter } from './rate-limits/key-rate-limiter.ts';
export type { PermitDecision, PermitRequest, RequestPermit } from './rate-limits/permit.ts';
export { type VideoDraft, FrontStore, type FormNote, type NotePlace } from './interactions/front-store.ts';
export { findTargetMessage } from './interactions/form-context.ts';
export { TaskAttempts } from './interactions/task-attempts.ts';
export { InteractionTokens } from './interactions/interaction-tokens.ts';
export type { DueTurn } from './turns/due-turns.ts';
export { TurnTooLargeError } from './dynamodb/turn-compression.ts';
export { type TurnPosition, Turns } from './turns/turns.ts';
export type { TurnClaim, TurnSignal, StoredSignal, PendingQuestion } from './turns/turn-item.ts';
export { toRestoredItem } from './restored-item.ts';
export { RollingWindows } from './rate-limits/rolling-windows.ts';
export { fetchDynamo, fetchScan } from './dynamodb/fetch-client.ts';
export { createSdkDynamo, createTableScan } from './dynamodb/sdk-client.ts';
export { type DynamoSend, createDynamoSend } from './dynamodb/json-protocol.ts';
export { readPresetNames } from './settings/preset-names.ts';
export {
  type DailyAccount,
  queryDailyAccounts,
  type ScannedAccounts,
  scanDailyAccounts,
} from './billing/scan-accounts.ts';
export { type ScannedLimits, scanLimits } from './rate-limits/scan-limits.ts';
export { type Schedule, type ScheduleContent, type SchedulePlace, Schedules } from './schedules/schedules.ts';
