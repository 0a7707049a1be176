import type { ChatContext } from '../chat/index.ts';
import type { WorkerContext } from '../context/index.ts';
import type { PrivacyContext } from '../privacy/index.ts';
import type { VideoContext } from '../video/index.ts';

/** What commands need: that of the features that they start, and what people save, rate and look up. */
export type CommandsContext = ChatContext &
  VideoContext &
  PrivacyContext &
  Pick<WorkerContext, 'directory' | 'drafts' | 'ratings' | 'readAs' | 'ownKeys'>;
