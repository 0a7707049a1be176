import type { SQSHandler } from 'aws-lambda';
import { unknownPrice } from '../shared/billing/index.ts';
import { handleDeadLetter } from '../shared/worker/index.ts';
import { DEFAULTS, noWaitQueue } from '../shared/ports/index.ts';
import { deadLettersConfig, taskTrace, systemTime } from '../shared/runtime/index.ts';
import { sqsQueue } from '../shared/aws/index.ts';
import { Recordings } from '../shared/storage/index.ts';
import {
  serveDeadLetters,
  createPlatformAdapters,
  awsOf,
  choicesOf,
  dynamoOf,
  logOf,
  signalsOf,
  turnsOf,
} from './composition/index.ts';

const config = deadLettersConfig();
const aws = awsOf(config);
const { error, info } = logOf(config);
const dynamo = dynamoOf(config);
const { conversationsTable: table, historyDays: days } = config;
const context = {
  turns: turnsOf(config),
  signals: signalsOf(config),
  ...createPlatformAdapters(config, { aws, dynamo, log: info }),
  recordings: new Recordings({ dynamo, table, days, now: systemTime.now }),
  queue: sqsQueue(config.taskQueueUrl, aws, taskTrace),
  price: unknownPrice,
  permits: noWaitQueue,
  time: systemTime,
  log: error,
  settings: { ...DEFAULTS, otherModels: config.otherModels },
  settingsStore: choicesOf(config),
};

/** Posts failure notices for dead letters. What fails is received again after the visibility timeout of the queue. */
export const handler: SQSHandler = (event) =>
  serveDeadLetters(event, (body) => handleDeadLetter(body, context), error);
