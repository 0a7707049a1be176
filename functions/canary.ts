import type { ScheduledHandler } from 'aws-lambda';
import { readCanaryConfig } from '../shared/runtime/index.ts';
import { askCanary, createCanaryDeps, createLog, createMetrics } from './composition/index.ts';
import { getErrorFacts } from '../shared/utils/index.ts';

const config = readCanaryConfig();
const context = createCanaryDeps(config);
const { error: log } = createLog(config);
const metrics = createMetrics(config);

/** Asks a test question. Rejects when it is not answered, which raises an alarm. */
export const handler: ScheduledHandler = async () => {
  try {
    metrics('canary.answered', { CanaryTime: await askCanary(context) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    log('canary.failed', { ...getErrorFacts(error), reason });
    throw error;
  }
};
