import type { WorkerContext } from '../context/ports.ts';
import { videoTools } from '../video/tools.ts';
import { voiceTools } from '../voice/tools.ts';

/** What the model may call of the features beside chat: videos and recordings. */
export const featureTools: WorkerContext['featureTools'] = ({ turn, seen, rootIsOurs }, context) => [
  ...videoTools(turn, seen, context),
  ...voiceTools(turn, rootIsOurs, context),
];
