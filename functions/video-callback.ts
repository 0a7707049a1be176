import { readCallbackConfig } from '../shared/runtime/index.ts';
import { createCallbackDeps, createVideoCallback } from './composition/index.ts';

/** `POST /callbacks/video/{job}/{secret}`: the callback of the vision service. */
export const handler = createVideoCallback(createCallbackDeps(readCallbackConfig()));
