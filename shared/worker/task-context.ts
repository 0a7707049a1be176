import type { ChatContext } from '../chat/context.ts';
import type { ProcessContext, WorkerContext } from '../context/ports.ts';
import { videoTools } from '../video/tools.ts';
import { voiceTools } from '../voice/tools.ts';

type Asked = Parameters<ChatContext['featureTools']>[0];

/** What a task has: that of its process, with the settings of the deployment, and tools of all features. */
export const taskContext = (process: ProcessContext): WorkerContext => ({
  ...process,
  deployment: process,
  featureTools: (asked, settings) => featureTools(asked, { ...process, settings }),
});

/** What the model may call of the features beside chat: videos and recordings. */
const featureTools = ({ turn, seen, rootIsOurs }: Asked, context: ProcessContext) => [
  ...videoTools(turn, seen, context),
  ...voiceTools(turn, rootIsOurs, context),
];
