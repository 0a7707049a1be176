import type { ChatContext } from '../chat/index.ts';
import type { ProcessContext, WorkerContext } from './context.ts';
import { videoTools } from '../video/index.ts';
import { voiceTools } from '../voice/index.ts';

type ToolRequest = Parameters<ChatContext['featureTools']>[0];

/** The context of a task: that of its process, with the deployment's settings and the tools of all features. */
export const taskContext = (process: ProcessContext): WorkerContext => ({
  ...process,
  deployment: process,
  featureTools: (asked, settings) => featureTools(asked, { ...process, settings }),
});

/** Tools of the features besides chat: videos and recordings. */
const featureTools = ({ turn, seen, rootIsOurs }: ToolRequest, context: ProcessContext) => [
  ...videoTools(turn, seen, context),
  ...voiceTools(turn, rootIsOurs, context),
];
