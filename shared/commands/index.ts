export type { CommandsContext } from './context.ts';
export { COMMANDS, DISCORD_MESSAGE_COMMANDS, FILES } from './command-list.ts';
export {
  buildMoreActionsForm as moreActionsIn,
  isMoreAction,
  messageCommand as MORE_ACTIONS_COMMAND,
} from './definitions/more-actions.ts';
export { DISCORD_FRONT_COMMANDS } from './discord-front-commands.ts';
export { addsDocuments } from './definitions/knowledge.ts';
export { formatWeeklyCommand } from './definitions/weekly.ts';
export { runScheduledDigest, runScheduledPrompt } from './definitions/scheduled/run-schedule-content.ts';
export { formatModelFacts } from './definitions/parts/model-facts.ts';
export { dispatchInteraction } from './dispatch-interaction.ts';
export { opensDraftForm, loadDraftedForm } from './forms/load-draft.ts';
export { buildCommandForm } from './open-command-form.ts';
export { createStoredForm } from './forms/question-form.ts';
export { buildForm } from './forms/registry.ts';
export { type VideoFormContext, loadVideoForm } from './forms/video-form.ts';
export {
  type CommandSpec,
  type DiscordFrontCommand,
  isOnPlatform,
  isPrivate,
  type MessageCommandSpec,
  type OptionSpec,
  type Texts,
} from './framework/command-spec.ts';
export { type CommandFile, replyCard, textCard } from './framework/types.ts';
