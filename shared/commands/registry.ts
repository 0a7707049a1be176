import { FILES } from './command-list.ts';
import * as askAbout from './definitions/ask-about.ts';
import * as follow from './framework/follow-up-button.ts';
import * as home from './definitions/home.ts';
import type { ChoiceWords } from './arguments/parse-arguments.ts';
import type { InteractionContext, CommandFile, CommandRun } from './framework/types.ts';

/** What the controls of cards and forms do, by the area that begins an action's name: `voice` of `voice.translate`. */
const AREAS: ReadonlyMap<string, CommandRun<InteractionContext<'action' | 'form'>>> = new Map([
  ['ask', askAbout.act],
  ['follow', follow.run],
  ['home', home.act],
  ...FILES.flatMap(({ spec, onMessage, act }) =>
    act
      ? [spec?.name, onMessage?.name].flatMap((name) => (name === undefined ? [] : [[name, act] as const]))
      : [],
  ),
]);

export const findAction = (area: string): CommandRun<InteractionContext<'action' | 'form'>> | undefined =>
  AREAS.get(area);

export const findCommandFile = (name: string): CommandFile | undefined =>
  FILES.find(({ spec }) => spec?.name === name);

/** What people are shown of a choice, in every language, and the shorter `option=choice.…` beside it. */
export const choiceWords: ChoiceWords = ({ name }, option, choice) => {
  const key = `${option}=${choice}`;
  const said = Object.entries(findCommandFile(name)?.texts ?? {});
  return said.flatMap(([of, words]) =>
    of === key || of.startsWith(`${key}.`) ? Object.values<string>(words) : [],
  );
};

/** Of a command in a message's menu. */
export const findMessageAction = (name: string): CommandFile['runOnMessage'] =>
  FILES.find(({ onMessage }) => onMessage?.name === name)?.runOnMessage;
