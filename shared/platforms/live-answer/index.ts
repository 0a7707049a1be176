export {
  type AnswerMessage,
  type AnswerState,
  createAnswerState,
  createMessageState,
  listMessageIds,
  setShown,
  listVisibleSteps,
  cleanStep,
  formatFooterLine,
  identifyStepCard,
  formatStep,
} from './answer-state.ts';
export { type PublishHooks, createLiveReply } from './live-reply.ts';
export { type Pacing, createIndependentPacing } from './pacer.ts';
export { type Publishing, publishAnswer, deleteMessages, deleteReplaced } from './publish.ts';
export { formatSourceLines } from './source-lines.ts';
export {
  type AnswerContent,
  type Layout,
  type MessageContent,
  type Recovery,
  type Lookup,
  type Transport,
  type NativeStreams,
  type TransportRules,
  LayoutChangedError,
} from './transport.ts';
