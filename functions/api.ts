import { readApiConfig } from '../shared/runtime/index.ts';
import { createApiFront, createApiFrontDeps, createStreamingHandler } from './composition/api/index.ts';

/** `POST /v1/ask`, `GET /v1/ask/{id}`: integrations ask, and read answers while they are written. */
export const handler = createStreamingHandler(createApiFront(createApiFrontDeps(readApiConfig())));
