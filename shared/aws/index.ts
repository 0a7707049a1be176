export { type AwsCall, type AwsCallOptions, AwsError, createAwsCall, withSignal } from './aws-request.ts';
export { type DynamoCallOptions, createDynamoCall } from './dynamo-request.ts';
export { readContainerConfig } from './container-credentials.ts';
export { createInvokingCall, type InvokeFunction, invokeFunction } from './invoke-function.ts';
export { type Encryptor, createKmsEncryptor } from './kms-encryption.ts';
export { type ObjectStore, type StoredObject, createS3ObjectStore } from './s3.ts';
export {
  InvalidSecretError,
  type Schedule,
  type Secret,
  type UpstreamKeys,
  discordBotSchema,
  listSigningSecrets,
  RELOADED_IF_REJECTED_TTL_MS,
  onTimer,
  refreshRegularly,
  createSecretReader,
  getKeyFingerprint,
  slackBotSchema,
  slackOAuthSchema,
  slackSigningSchema,
  searchKeySchema,
  upstreamKeysSchema,
} from './secrets.ts';
export {
  type Queue,
  SEND_MESSAGE,
  type ShowMessage,
  createShowMessage,
  createSqsQueue,
} from './sqs-queue.ts';
export { changeVisibilities, deleteMessage, receiveMessages } from './sqs-receiver.ts';
export { type NotePhases, type Phase, TaskSegments, noPhases } from './xray-segments.ts';
