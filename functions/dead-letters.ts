import type { SQSHandler } from 'aws-lambda';
import { handleDeadLetter } from '../shared/worker/index.ts';
import { deadLettersConfig } from '../shared/runtime/index.ts';
import { callsOf, deadLetterContext, serveDeadLetters, logOf } from './composition/index.ts';

const config = deadLettersConfig();
const context = deadLetterContext(config);
const { error, info } = logOf(config);
const recordCalls = callsOf(config, info);

/** Posts failure notices for dead letters. What fails is received again after the visibility timeout of the queue. */
export const handler: SQSHandler = (event) =>
  serveDeadLetters(
    event,
    (body, sentAtMs) => recordCalls(() => handleDeadLetter(body, context, sentAtMs)),
    error,
  );
