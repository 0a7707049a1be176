export {
  type AnswerMessage,
  type AnswerState,
  newAnswerState,
  newMessage,
  idsOf,
  resetMessage,
  setShown,
  addUnconfirmedPost,
  stepsOf,
  streamedStep,
  cleanStep,
  footerText,
  cardOf,
  inWords,
  lastSteps,
  type StepSizes,
  PendingSteps,
} from './answer-state.ts';
export * from './live-reply.ts';
export * from './pacer.ts';
export * from './publish.ts';
export { sourceLines } from './source-lines.ts';
export * from './transport.ts';
