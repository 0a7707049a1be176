import { callbackConfig } from '../shared/runtime/index.ts';
import { toolSignIn, toolSignInDeps } from './composition/index.ts';

/** `GET /tools/oauth`: a server of tools sends people back here after they signed in. */
export const handler = toolSignIn(toolSignInDeps(callbackConfig()));
