export type { CommandsContext } from './context.ts';
export { COMMANDS, DISCORD_MESSAGE_COMMANDS, FILES } from './command-list.ts';
export {
  formIn as moreActionsIn,
  isUnderMore,
  onMessage as MORE_ACTIONS_COMMAND,
} from './definitions/more-actions.ts';
export { factsOf } from './definitions/parts/model-facts.ts';
export { dispatchInteraction } from './dispatch-interaction.ts';
export { isDrafted, loadDraftedForm } from './forms/load-draft.ts';
export { commandForm } from './open-command-form.ts';
export { storedForm } from './forms/question-form.ts';
export { formOf } from './forms/registry.ts';
export { type VideoFormContext, videoFormFor } from './forms/video-form.ts';
export {
  type CommandSpec,
  isOnPlatform,
  isPrivate,
  type MessageCommandSpec,
  type OptionSpec,
  type Texts,
} from './framework/command-spec.ts';
export { type CommandFile, replyCard, textCard } from './framework/types.ts';
