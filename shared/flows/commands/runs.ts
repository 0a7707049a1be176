import * as animate from './animate.ts';
import * as ask from './ask.ts';
import * as askAbout from './ask-about.ts';
import * as exportAll from './export.ts';
import * as follow from './follow.ts';
import * as forget from './forget.ts';
import * as help from './help.ts';
import * as home from './home.ts';
import * as key from './key.ts';
import * as model from './model.ts';
import * as persona from './persona.ts';
import * as quota from './quota.ts';
import * as schema from './schema.ts';
import * as settings from './settings.ts';
import * as summarise from './summarise.ts';
import * as transcribe from './transcribe.ts';
import * as usage from './usage.ts';
import * as video from './video.ts';
import * as voice from './voice.ts';
import * as voiceCard from './voice-card.ts';
import * as why from './why.ts';
import type { Called, CalledCommand, Run } from './run.ts';

/** What each command does, by name. */
export const COMMAND_RUNS: Readonly<Record<string, Run<CalledCommand>>> = {
  ask: ask.run,
  animate: animate.run,
  export: exportAll.run,
  forget: forget.run,
  help: help.run,
  key: key.run,
  model: model.run,
  persona: persona.run,
  quota: quota.run,
  schema: schema.run,
  settings: settings.run,
  usage: usage.run,
  why: why.run,
  video: video.run,
  voice: voice.run,
};

/** What each command in a message's menu does, by name. */
export const MESSAGE_RUNS: Readonly<Record<string, Run<Called<'on-message'>>>> = {
  'animate-form': animate.runOnMessage,
  'ask-about': askAbout.run,
  export: exportAll.runOnMessage,
  forget: forget.runOnMessage,
  settings: settings.runOnMessage,
  why: why.runOnMessage,
  summarise: summarise.run,
  transcribe: transcribe.run,
};

/** What the controls of cards and forms do, by the area that begins an action's name: `voice` of `voice.translate`. */
export const AREAS: Readonly<Record<string, Run<Called<'action' | 'form'>>>> = {
  ask: askAbout.act,
  follow: follow.run,
  forget: forget.act,
  home: home.act,
  key: key.act,
  model: model.act,
  persona: persona.act,
  schema: schema.act,
  settings: settings.act,
  summarise: summarise.act,
  video: animate.act,
  voice: voiceCard.act,
};
