import * as animate from './animate.ts';
import * as ask from './ask.ts';
import * as follow from './follow.ts';
import * as help from './help.ts';
import * as quota from './quota.ts';
import * as usage from './usage.ts';
import * as video from './video.ts';
import type { Called, CalledCommand, Run } from './run.ts';

/** What each command does, by name. */
export const COMMAND_RUNS: Readonly<Record<string, Run<CalledCommand>>> = {
  ask: ask.run,
  animate: animate.run,
  help: help.run,
  quota: quota.run,
  usage: usage.run,
  video: video.run,
};

/** What each command in a message's menu does, by name. */
export const MESSAGE_RUNS: Readonly<Record<string, Run<Called<'on-message'>>>> = {
  animate: animate.runOnMessage,
};

/** What the controls of cards and forms do, by the area that begins an action's name: `voice` of `voice.translate`. */
export const AREAS: Readonly<Record<string, Run<Called<'action' | 'form'>>>> = {
  follow: follow.run,
  video: animate.act,
};
