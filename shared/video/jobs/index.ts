export {
  MAX_PROMPT_LENGTH,
  type JobRequester,
  type JobCaller,
  type JobOwnership,
  mayChangeJob,
  type JobId,
  jobId,
  type JobAccounts,
  type Job,
  listPromptAuthors,
  getOwnPrompt,
  getOperation,
  inputKey,
  resultKey,
} from './job.ts';
export {
  MEDIA_OPERATIONS,
  type MediaOperation,
  makesPicture,
  needsPicture,
  type MediaModel,
  DEFAULT_OPERATION,
  DEFAULT_PICTURE_FIELD,
  toMediaOperation,
  readMediaModels,
  listModelsFor,
} from './media-models.ts';
export { JOB_LIMIT_MS, nextPoll, isTooOld } from './polls.ts';
export { findVideo } from './result.ts';
export { detectVideoType, getResultFileName } from './result-file.ts';
export { JOB_STATES, type JobState, canTransition, isTerminal, applyReport } from './state.ts';
