import { callbackConfig } from '../shared/runtime/index.ts';
import { callbackDeps, videoCallback } from './composition/index.ts';

/** `POST /callbacks/video/{job}/{secret}`: the callback of the vision service. */
export const handler = videoCallback(callbackDeps(callbackConfig()));
