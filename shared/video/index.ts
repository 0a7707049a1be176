export { advanceJob } from './advance-job.ts';
export {
  type ActionReply,
  cancelVideo,
  changePrompt,
  confirmProposed,
  findChangeableJob,
  listVideos,
  renewLink,
  repeatVideo,
  toJobRequester,
} from './card-actions.ts';
export { createJobCard } from './display/card.ts';
export type { VideoContext } from './context.ts';
export { enqueueVideoTask } from './enqueue.ts';
export { lookUpVideo } from './find-stored-video.ts';
export { forgetVideos } from './forget.ts';
export { findRequestRefusal, proposeJob, startJob, type VideoRequest } from './propose-job.ts';
export { proposeOnCard } from './propose-on-card.ts';
export { createVideoTools } from './tools.ts';
