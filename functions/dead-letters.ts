import type { SQSHandler } from 'aws-lambda';
import { bury, DEFAULTS } from '../shared/flows/index.ts';
import { deadLettersConfig } from '../shared/runtime/config.ts';
import { sqsQueue } from '../shared/runtime/queue.ts';
import { taskTrace } from '../shared/runtime/task-trace.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { Recordings } from '../shared/store/index.ts';
import { serveDeadLetters } from './batch.ts';
import { sidesOf } from './sides.ts';
import { awsOf, choicesOf, dynamoOf, logOf, marksOf, turnsOf } from './wiring.ts';

const config = deadLettersConfig();
const aws = awsOf(config);
const { error, info } = logOf(config);
const dynamo = dynamoOf(config);
const { conversationsTable: table, historyDays: days } = config;
const deps = {
  turns: turnsOf(config),
  marks: marksOf(config),
  ...sidesOf(config, { aws, dynamo, log: info }),
  recordings: new Recordings({ dynamo, table, days, now: systemTime.now }),
  queue: sqsQueue(config.taskQueueUrl, aws, taskTrace),
  time: systemTime,
  log: error,
  settings: { ...DEFAULTS, otherModels: config.otherModels },
  choices: choicesOf(config),
};

/** Tells people of the questions that were given up. What fails here comes back when the queue's own time is up. */
export const handler: SQSHandler = (event) => serveDeadLetters(event, (body) => bury(body, deps), error);
