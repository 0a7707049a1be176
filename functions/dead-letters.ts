import type { SQSHandler } from 'aws-lambda';
import { handleDeadLetter } from '../shared/worker/index.ts';
import { readDeadLettersConfig } from '../shared/runtime/index.ts';
import {
  createTaskCallRecorder,
  createDeadLetterContext,
  serveDeadLetters,
  createLog,
} from './composition/index.ts';

const config = readDeadLettersConfig();
const context = createDeadLetterContext(config);
const { error, info } = createLog(config);
const recordCalls = createTaskCallRecorder(config, info);

/** Posts failure notices for dead letters. What fails is received again after the visibility timeout of the queue. */
export const handler: SQSHandler = (event) =>
  serveDeadLetters(
    event,
    (body, sentAtMs) => recordCalls(() => handleDeadLetter(body, context, sentAtMs)),
    error,
  );
