export {
  type AnswerMessage,
  type AnswerState,
  newAnswerState,
  newMessage,
  idsOf,
  setShown,
  stepsOf,
  cleanStep,
  footerText,
  cardOf,
  inWords,
} from './answer-state.ts';
export { type PublishHooks, createLiveReply } from './live-reply.ts';
export { type Pacing, independentPacing } from './pacer.ts';
export { type Publishing, publishAnswer, deleteMessages, deleteReplaced } from './publish.ts';
export { sourceLines } from './source-lines.ts';
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
