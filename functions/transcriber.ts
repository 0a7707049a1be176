import type { SQSHandler } from 'aws-lambda';
import { parseTranscriptionTask } from '../shared/domain/index.ts';
import type { AttemptDeps } from '../shared/task-queue/index.ts';
import { runTranscriptionTask } from '../shared/voice/index.ts';
import { OTHER_VERSION } from '../shared/worker/index.ts';
import { transcriberConfig, RECORDINGS, traceId } from '../shared/runtime/index.ts';
import {
  serveOneByOne,
  segmentsOf,
  taskQueueOf,
  transcriberContext,
  awsOf,
  logOf,
} from './composition/index.ts';

const config = transcriberConfig();
const aws = awsOf(config);
const context = transcriberContext(config, aws);
const segments = segmentsOf('transcriber', config, aws);
const { warn } = logOf(config);
const worker: AttemptDeps = {
  ...taskQueueOf(config.voiceQueueUrl, RECORDINGS, config, aws),
  // A transcript is the same whichever attempt stores it.
  refuseLateWrites: () => Promise.resolve(),
  serve: async (body, delivery) => {
    const task = parseTranscriptionTask(body);
    if (task) return segments.record(delivery.trace, () => runTranscriptionTask(task, context, delivery));
    warn('task.unreadable', { bytes: body.length, trace: traceId(delivery.trace) });
    return OTHER_VERSION;
  },
};

/** Transcribes recordings from their queue. */
export const handler: SQSHandler = (event, lambda) => serveOneByOne(event, lambda, worker);
