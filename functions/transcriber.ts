import type { SQSHandler } from 'aws-lambda';
import { parseHearTask } from '../shared/conversation/index.ts';
import { hear, OTHER_VERSION } from '../shared/flows/index.ts';
import { transcriberConfig } from '../shared/runtime/config.ts';
import { RECORDINGS } from '../shared/runtime/names.ts';
import { traceId } from '../shared/runtime/trace.ts';
import type { AttemptDeps } from '../shared/task-queue/index.ts';
import { serveOneByOne } from './batch.ts';
import { segmentsOf } from './segments.ts';
import { taskQueueOf } from './task-queues.ts';
import { transcriberDeps } from './voice-side.ts';
import { awsOf, logOf } from './wiring.ts';

const config = transcriberConfig();
const aws = awsOf(config);
const deps = transcriberDeps(config, aws);
const segments = segmentsOf('transcriber', config, aws);
const { warn } = logOf(config);
const worker: AttemptDeps = {
  ...taskQueueOf(config.voiceQueueUrl, RECORDINGS, config, aws),
  // What is kept of a recording is the same whoever wrote it.
  refuseLateWrites: () => Promise.resolve(),
  serve: async (body, delivery) => {
    const task = parseHearTask(body);
    if (task) return segments.record(delivery.trace, () => hear(task, deps, delivery));
    warn('task.unreadable', { bytes: body.length, trace: traceId(delivery.trace) });
    return OTHER_VERSION;
  },
};

/** Takes recordings from their queue and writes them out. */
export const handler: SQSHandler = (event, context) => serveOneByOne(event, context, worker);
