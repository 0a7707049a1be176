export { beginSignIn, confirmSignIn, parseState, createSignInCard } from './connect-server.ts';
export type { ToolsContext } from './context.ts';
export { decideCall } from './decide-call.ts';
export { endSignIn, readFirstTools } from './end-sign-in.ts';
export { findUnknownSource } from './find-unknown-source.ts';
export { loadEnabledTools } from './load-enabled-tools.ts';
export { requestToolServer } from './request-server.ts';
export {
  getEnabledUse,
  mergeTools,
  readToolChoice,
  createServerCard,
  createServersCard,
} from './server-card.ts';
export { describeOutcome } from './server-tools.ts';
