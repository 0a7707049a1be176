import { readCallbackConfig } from '../shared/runtime/index.ts';
import { createToolSignIn, createToolSignInDeps } from './composition/index.ts';

/** `GET /tools/oauth`: an MCP server sends people back here after they signed in. */
export const handler = createToolSignIn(createToolSignInDeps(readCallbackConfig()));
