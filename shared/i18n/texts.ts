import { answers } from './answers/index.ts';
import { choices } from './choices/index.ts';
import { commands } from './commands/index.ts';
import { facts } from './facts/index.ts';
import { feedback } from './feedback/index.ts';
import { files } from './files/index.ts';
import { knowledge } from './knowledge/index.ts';
import { integrations } from './integrations/index.ts';
import { memory } from './memory/index.ts';
import { picture } from './picture/index.ts';
import { saved } from './saved/index.ts';
import { schedule } from './schedule/index.ts';
import { settings } from './settings/index.ts';
import { summary } from './summary/index.ts';
import { tools } from './tools/index.ts';
import { usage } from './usage/index.ts';
import { video } from './video/index.ts';
import { voice } from './voice/index.ts';
import { weekly } from './weekly/index.ts';

/** All texts by area and language. To add an area, add a folder and a line here. */
export const TEXTS = {
  answers,
  choices,
  commands,
  facts,
  feedback,
  files,
  knowledge,
  integrations,
  memory,
  picture,
  saved,
  schedule,
  settings,
  summary,
  tools,
  usage,
  video,
  voice,
  weekly,
};
