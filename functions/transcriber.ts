import type { SQSHandler } from 'aws-lambda';
import { transcriberConfig } from '../shared/runtime/index.ts';
import { serveOneByOne, transcriberWorker } from './composition/index.ts';

const worker = transcriberWorker(transcriberConfig());

/** Transcribes recordings from their queue. */
export const handler: SQSHandler = (event, lambda) => serveOneByOne(event, lambda, worker);
