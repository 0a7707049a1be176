import type { SQSHandler } from 'aws-lambda';
import { readTranscriberConfig } from '../shared/runtime/index.ts';
import { serveOneByOne, createTranscriberWorker } from './composition/index.ts';

const worker = createTranscriberWorker(readTranscriberConfig());

/** Transcribes recordings from their queue. */
export const handler: SQSHandler = (event, lambda) => serveOneByOne(event, lambda, worker);
