export {
  type Chat,
  type ChatOptions,
  type CompletionEvent,
  DEFAULTS,
  type ListedModel,
  type ModelBreakers,
  type ModelFacts,
  noBreakers,
  noWaitQueue,
  type RequestPermits,
  type Sampling,
  type Settings,
  SUGGEST_TOKENS,
  type SuggestOptions,
  isIncomplete,
} from './chat-model.ts';
export {
  type ChatTool,
  type PreparedCall,
  type ThreadPicture,
  ToolError,
  type ToolResult,
} from './chat-tool.ts';
export type { RequestToolServer } from './tool-server.ts';
export type { SourceNumbering, ToolQuestion, ToolSource } from './tool-source.ts';
export { explainBlockedWords, replyPrivately } from './private-reply.ts';
export {
  type FetchedVideo,
  type Videos,
  videosDisabled,
  type VideoService,
  VideoUnreachableError,
} from './video-service.ts';
