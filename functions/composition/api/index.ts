export { apiFront } from './api-front.ts';
export { apiFrontDeps } from './api-front-deps.ts';
export { streamed } from './stream-response.ts';
