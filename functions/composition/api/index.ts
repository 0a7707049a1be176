export { createApiFront } from './api-front.ts';
export { createApiFrontDeps } from './api-front-deps.ts';
export { createStreamingHandler } from './stream-response.ts';
