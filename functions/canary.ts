import type { ScheduledHandler } from 'aws-lambda';
import { canaryConfig } from '../shared/runtime/index.ts';
import { askCanary, canaryDeps, logOf, metricsOf } from './composition/index.ts';
import { errorName } from '../shared/utils/index.ts';

const config = canaryConfig();
const context = canaryDeps(config);
const { error: log } = logOf(config);
const metrics = metricsOf(config);

/** Asks a test question. Rejects when it is not answered, which raises an alarm. */
export const handler: ScheduledHandler = async () => {
  try {
    metrics('canary.answered', { CanaryTime: await askCanary(context) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    log('canary.failed', { error: errorName(error), reason });
    throw error;
  }
};
