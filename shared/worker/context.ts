import type { ChatContext } from '../chat/index.ts';
import type { CommandsContext } from '../commands/index.ts';
import type { PrivacyContext } from '../privacy/index.ts';
import type { VideoContext } from '../video/index.ts';

/** What a task may need: the contexts of all features that the worker starts. */
export type WorkerContext = ChatContext & VideoContext & PrivacyContext & CommandsContext;

/** What a process has before it knows the task. */
export type ProcessContext = Omit<WorkerContext, 'deployment' | 'featureTools'>;
