import type { Queue } from '../aws/index.ts';
import type { Budgets } from '../billing/index.ts';
import type { VideoService, RequestPermits, Settings } from '../ports/index.ts';
import type { FindMemberRoles, FindUserProfile, Messenger, Platform } from '../platforms/ports/index.ts';
import type { Log, Time } from '../runtime/index.ts';
import type { Turns } from '../storage/index.ts';

/** The context of the video feature. */
export type VideoContext = {
  /** `videosDisabled` where the deployment makes none. */
  readonly videos: VideoService;
  /** Permits under the rate limit of the video service. */
  readonly videoPermits: RequestPermits;
  readonly turns: Turns;
  readonly platform: Platform;
  readonly messenger: Messenger;
  readonly queue: Queue;
  readonly budgets: Budgets;
  readonly time: Time;
  readonly settings: Settings;
  readonly userProfile: FindUserProfile;
  readonly memberRoles: FindMemberRoles;
  readonly log: Log;
};
