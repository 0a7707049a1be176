import type { ScheduledHandler } from 'aws-lambda';
import { fillPersonIndex } from '../shared/privacy/index.ts';
import { requeueStuckTasks } from '../shared/worker/index.ts';
import { readSweeperConfig, redactValidationError } from '../shared/runtime/index.ts';
import { fillContext, createLog, createSweepContext } from './composition/index.ts';
import { getErrorFacts } from '../shared/utils/index.ts';

const config = readSweeperConfig();
const { info, warn } = createLog(config);
const context = createSweepContext(config);
const filling = fillContext(config);

/** Runs once a minute: enqueues stuck tasks again, and fills the person index until it is complete. */
export const handler: ScheduledHandler = async () => {
  const { count, failed } = await requeueStuckTasks(context).catch((error: unknown) => {
    throw redactValidationError(error);
  });
  if (count + failed > 0) info('sweep.completed', { count, failed });
  await fillPersonIndex(filling).catch((error: unknown) => warn('person-index.failed', getErrorFacts(error)));
};
