export {
  acceptButton,
  type AcceptInteractionContext,
  acceptInteractionQuestion,
} from './accept-interaction-question.ts';
export {
  acceptQuestion,
  type AcceptQuestionContext,
  acceptsUnaddressed,
  everyMessageIsNew,
  routeQuestion,
} from './accept-question.ts';
export { enqueueInteraction } from './enqueue-interaction.ts';
export { handleEvent, type HandleEventContext, removeQuestion } from './handle-event.ts';
export { stopThread } from './signal-turn.ts';
export { intakeWithin } from './within-worker.ts';
