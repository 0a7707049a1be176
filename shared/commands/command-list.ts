// Written by `npm run format`, of the files in definitions/ that have a `spec` or an `onMessage`.
import * as animateCommand from './definitions/animate.ts';
import * as askAboutCommand from './definitions/ask-about.ts';
import * as askCommand from './definitions/ask.ts';
import * as exportCommand from './definitions/export.ts';
import * as feedbackCommand from './definitions/feedback.ts';
import * as forgetCommand from './definitions/forget.ts';
import * as helpCommand from './definitions/help.ts';
import * as keyCommand from './definitions/key.ts';
import * as modelCommand from './definitions/model.ts';
import * as moreActionsCommand from './definitions/more-actions.ts';
import * as personaCommand from './definitions/persona.ts';
import * as quotaCommand from './definitions/quota.ts';
import * as schemaCommand from './definitions/schema.ts';
import * as settingsCommand from './definitions/settings.ts';
import * as summariseCommand from './definitions/summarise.ts';
import * as transcribeCommand from './definitions/transcribe.ts';
import * as usageCommand from './definitions/usage.ts';
import * as videoCommand from './definitions/video.ts';
import * as voiceCommand from './definitions/voice.ts';
import * as whyCommand from './definitions/why.ts';
import type { CommandFile } from './framework/types.ts';
import type { CommandSpec, MessageCommandSpec } from './framework/command-spec.ts';

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
