import type { ChatContext } from '../chat/index.ts';
import type { CommandsContext } from '../commands/index.ts';
import type { PrivacyContext } from '../privacy/index.ts';
import { type VideoContext, videoTools } from '../video/index.ts';
import { voiceTools } from '../voice/index.ts';

/** What a task may need: the contexts of all features that the worker starts. */
export type WorkerContext = ChatContext & VideoContext & PrivacyContext & CommandsContext;

/** What a process has before it knows the task. */
export type ProcessContext = Omit<WorkerContext, 'deployment' | 'featureTools'>;

type Asked = Parameters<ChatContext['featureTools']>[0];

/** The context of a task: that of its process, with the deployment's settings and the tools of all features. */
export const taskContext = (process: ProcessContext): WorkerContext => ({
  ...process,
  deployment: process,
  featureTools: (asked, settings) => featureTools(asked, { ...process, settings }),
});

/** Tools of the features besides chat: videos and recordings. */
const featureTools = ({ turn, seen, rootIsOurs }: Asked, context: ProcessContext) => [
  ...videoTools(turn, seen, context),
  ...voiceTools(turn, rootIsOurs, context),
];
