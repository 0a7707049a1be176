import type { SQSHandler } from 'aws-lambda';
import { parseHearTask } from '../shared/conversation/index.ts';
import { hear, OTHER_VERSION } from '../shared/flows/index.ts';
import { transcriberConfig } from '../shared/runtime/config.ts';
import { changeVisibility, removeMessage } from '../shared/runtime/queue.ts';
import { serveBatch } from './batch.ts';
import { transcriberDeps } from './voice-side.ts';
import { awsOf, logOf } from './wiring.ts';

const config = transcriberConfig();
const aws = awsOf(config);
const deps = transcriberDeps(config, aws);
const { warn } = logOf(config);
const batch = {
  serve: async (body: string, delivery: Parameters<typeof hear>[2]) => {
    const task = parseHearTask(body);
    if (task) return hear(task, deps, delivery);
    warn('task.unreadable', { bytes: body.length });
    return OTHER_VERSION;
  },
  hide: changeVisibility(config.voiceQueueUrl, aws),
  remove: removeMessage(config.voiceQueueUrl, aws),
  time: deps.time,
  log: warn,
};

/** Takes recordings from their queue and writes them out. */
export const handler: SQSHandler = (event, context) => serveBatch(event, context, batch);
