import type { SQSHandler } from 'aws-lambda';
import { parseTask } from '../shared/conversation/index.ts';
import { apologise, DEFAULTS, type Verdict } from '../shared/flows/index.ts';
import { deadLettersConfig } from '../shared/runtime/config.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { serveBatch } from './batch.ts';
import { awsOf, logOf, platformOf, turnsOf } from './wiring.ts';

const config = deadLettersConfig();
const { error, info } = logOf(config);
const deps = {
  turns: turnsOf(config),
  platform: platformOf(config, awsOf(config), info),
  time: systemTime,
  settings: DEFAULTS,
};

const DONE: Verdict = { kind: 'done' };

async function serve(body: string): Promise<Verdict> {
  const task = parseTask(body);
  error('task.dead', { kind: task?.kind ?? 'unreadable', message: task?.message });
  return task?.kind === 'ask' ? apologise(task, deps) : DONE;
}

/** Tells people of the questions that the queue gave up. What fails here comes back when the queue's own time is up. */
export const handler: SQSHandler = (event, context) =>
  serveBatch(event, context, { serve, hide: () => Promise.resolve(), time: systemTime, log: error });
