import * as v from 'valibot';
import { enqueueVideoTask } from '../../../shared/video/index.ts';
import { jobId } from '../../../shared/video/jobs/index.ts';
import {
  type readCallbackConfig,
  type Clock,
  type HttpResponse,
  type Log,
  createProcessLog,
  parseRequest,
} from '../../../shared/runtime/index.ts';
import { createAwsCall, type Queue, createSqsQueue } from '../../../shared/aws/index.ts';
import { fetchDynamo, hashSecret, isEqualInConstantTime, Jobs } from '../../../shared/storage/index.ts';
import { getErrorFacts } from '../../../shared/utils/index.ts';

export type CallbackDeps = {
  readonly jobs: Pick<Jobs, 'findEventually'>;
  readonly queue: Queue;
  readonly now: Clock;
  readonly log: Log;
};

/** Builds what the callback needs. */
export function createCallbackDeps(config: ReturnType<typeof readCallbackConfig>): CallbackDeps {
  const { conversationsTable: table, historyDays: days } = config;
  const aws = createAwsCall(config.aws);
  const now = Date.now;
  return {
    jobs: new Jobs({ dynamo: fetchDynamo(aws), table, days, now }),
    queue: createSqsQueue(config.taskQueueUrl, aws),
    now,
    log: createProcessLog(config.logLevel, now).warn,
  };
}

const MAX_BYTES = 64 * 1024;
/** 32 bytes in base64url. */
const SECRET = /^[\w-]{43}$/u;
/** Callbacks within this time are deduplicated. */
const SAME_MS = 10_000;

const path = v.object({ pathParameters: v.object({ job: v.string(), secret: v.string() }) });

const NOTHING_HERE: HttpResponse = { statusCode: 404, body: '' };

/**
 * Handles the callback of a video job. It does not read the body, which anyone could send: a task requests the state of the
 * job. Without the secret the response is the same for any job, and costs at most one read; none if the address is
 * malformed. Never rejects.
 */
export function createVideoCallback(context: CallbackDeps): (event: unknown) => Promise<HttpResponse> {
  return async (event) => {
    const { job: named = '', secret = '' } = v.is(path, event) ? event.pathParameters : {};
    const id = jobId(named);
    if (id === undefined || !SECRET.test(secret)) return NOTHING_HERE;
    const request = parseRequest(event);
    if (!request || request.body.length > MAX_BYTES) return { statusCode: 413, body: '' };
    try {
      const job = await context.jobs.findEventually(id);
      if (!job || !isEqualInConstantTime(job.secretHash ?? '', hashSecret(secret))) return NOTHING_HERE;
      await enqueueVideoTask(job, `hint-${Math.floor(context.now() / SAME_MS)}`, context.queue);
      return { statusCode: 202, body: '' };
    } catch (error) {
      // The service may retry the callback. Without a retry, the status of the job is polled anyway.
      context.log('video.callback-failed', getErrorFacts(error));
      return { statusCode: 503, headers: { 'retry-after': '5' }, body: '' };
    }
  };
}
