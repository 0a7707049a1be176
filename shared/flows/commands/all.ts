// Written by `npm run format`, of the files beside it that have a `spec` or an `onMessage`.
import * as animateCommand from './animate.ts';
import * as askAboutCommand from './ask-about.ts';
import * as askCommand from './ask.ts';
import * as exportCommand from './export.ts';
import * as feedbackCommand from './feedback.ts';
import * as forgetCommand from './forget.ts';
import * as helpCommand from './help.ts';
import * as keyCommand from './key.ts';
import * as modelCommand from './model.ts';
import * as moreActionsCommand from './more-actions.ts';
import * as personaCommand from './persona.ts';
import * as quotaCommand from './quota.ts';
import * as schemaCommand from './schema.ts';
import * as settingsCommand from './settings.ts';
import * as summariseCommand from './summarise.ts';
import * as transcribeCommand from './transcribe.ts';
import * as usageCommand from './usage.ts';
import * as videoCommand from './video.ts';
import * as voiceCommand from './voice.ts';
import * as whyCommand from './why.ts';
import type { CommandFile } from './run.ts';
import type { CommandSpec, MessageCommandSpec } from './spec.ts';

/** Every command. A front imports this alone: what commands do and say falls out of its bundle. */
export const COMMANDS: readonly CommandSpec[] = [
  animateCommand.spec,
  askCommand.spec,
  exportCommand.spec,
  feedbackCommand.spec,
  forgetCommand.spec,
  helpCommand.spec,
  keyCommand.spec,
  modelCommand.spec,
  personaCommand.spec,
  quotaCommand.spec,
  schemaCommand.spec,
  settingsCommand.spec,
  summariseCommand.spec,
  usageCommand.spec,
  videoCommand.spec,
  voiceCommand.spec,
  whyCommand.spec,
];

/** Every command in Discord's menu of a message. */
export const DISCORD_MESSAGE_COMMANDS: readonly MessageCommandSpec[] = [
  animateCommand.onMessage,
  askAboutCommand.onMessage,
  summariseCommand.onMessage,
  transcribeCommand.onMessage,
  whyCommand.onMessage,
];

/** All of every one. */
export const FILES: readonly CommandFile[] = [
  animateCommand,
  askAboutCommand,
  askCommand,
  exportCommand,
  feedbackCommand,
  forgetCommand,
  helpCommand,
  keyCommand,
  modelCommand,
  moreActionsCommand,
  personaCommand,
  quotaCommand,
  schemaCommand,
  settingsCommand,
  summariseCommand,
  transcribeCommand,
  usageCommand,
  videoCommand,
  voiceCommand,
  whyCommand,
];
