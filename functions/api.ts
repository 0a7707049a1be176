import { apiConfig } from '../shared/runtime/index.ts';
import { apiFront, apiFrontDeps, streamed } from './composition/api/index.ts';

/** `POST /v1/ask`, `GET /v1/ask/{id}`: integrations ask, and read answers while they are written. */
export const handler = streamed(apiFront(apiFrontDeps(apiConfig())));
