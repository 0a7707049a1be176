import { spec as askAbout } from './ask-about.ts';
import { onMessage as animateMessage, spec as animate } from './animate.ts';
import { spec as ask } from './ask.ts';
import { onMessage as exportMessage, spec as exportAll } from './export.ts';
import { onMessage as forgetMessage, spec as forget } from './forget.ts';
import { spec as help } from './help.ts';
import { spec as key } from './key.ts';
import { spec as model } from './model.ts';
import { spec as persona } from './persona.ts';
import { spec as quota } from './quota.ts';
import { spec as schema } from './schema.ts';
import { onMessage as settingsMessage, spec as settings } from './settings.ts';
import { spec as summarise } from './summarise.ts';
import { spec as transcribe } from './transcribe.ts';
import { spec as usage } from './usage.ts';
import { spec as video } from './video.ts';
import { spec as voice } from './voice.ts';
import { onMessage as whyMessage, spec as why } from './why.ts';
import type { CommandSpec, MessageCommandSpec } from './spec.ts';

/**
 * Every command, in the order in which people are shown them. A front imports this alone: what commands do falls out
 * of its bundle.
 */
export const COMMANDS: readonly CommandSpec[] = [
  ask,
  animate,
  video,
  voice,
  model,
  persona,
  schema,
  settings,
  usage,
  quota,
  why,
  exportAll,
  forget,
  key,
  help,
];

/** Every command in the menu of a message. */
export const MESSAGE_COMMANDS: readonly MessageCommandSpec[] = [
  askAbout,
  summarise,
  transcribe,
  animateMessage,
  whyMessage,
  settingsMessage,
  exportMessage,
  forgetMessage,
];
