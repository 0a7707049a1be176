import type { ChatContext } from '../chat/context.ts';
import type { WorkerContext } from '../context/ports.ts';
import type { PrivacyContext } from '../privacy/context.ts';
import type { VideoContext } from '../video/context.ts';

/** What commands need: that of the features that they start, and what people save, rate and look up. */
export type CommandsContext = ChatContext &
  VideoContext &
  PrivacyContext &
  Pick<WorkerContext, 'directory' | 'drafts' | 'ratings' | 'readAs' | 'ownKeys'>;
