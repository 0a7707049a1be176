import * as ask from './ask.ts';
import * as help from './help.ts';
import type { Called, CalledCommand, Run } from './run.ts';

/** What each command does, by name. */
export const COMMAND_RUNS: Readonly<Record<string, Run<CalledCommand>>> = { ask: ask.run, help: help.run };

/** What each command in a message's menu does, by name. */
export const MESSAGE_RUNS: Readonly<Record<string, Run<Called<'on-message'>>>> = {};

/** What the controls of cards and forms do, by the area that begins an action's name: `voice` of `voice.translate`. */
export const AREAS: Readonly<Record<string, Run<Called<'action' | 'form'>>>> = {};
