import { FILES } from './command-list.ts';
import * as askAbout from './definitions/ask-about.ts';
import * as answerFile from './framework/answer-file-button.ts';
import * as follow from './framework/follow-up-button.ts';
import * as home from './definitions/home.ts';
import type { ListChoiceLabels } from './arguments/parse-arguments.ts';
import type { InteractionRequest, CommandFile, CommandHandler } from './framework/types.ts';

/** The handlers of actions of cards and modals, by the first part of the action's name: `voice` of `voice.translate`. */
const ACTION_HANDLERS: ReadonlyMap<string, CommandHandler<InteractionRequest<'action' | 'form'>>> = new Map([
  ['file', answerFile.run],
  ['ask', askAbout.onAction],
  ['follow', follow.run],
  ['home', home.onAction],
  ...FILES.flatMap(({ spec, messageCommand, onAction }) =>
    onAction
      ? [spec?.name, messageCommand?.name].flatMap((name) =>
          name === undefined ? [] : [[name, onAction] as const],
        )
      : [],
  ),
]);

export const findActionHandler = (
  area: string,
): CommandHandler<InteractionRequest<'action' | 'form'>> | undefined => ACTION_HANDLERS.get(area);

/** Whether an action concerns only data of the person who caused it: see `OwnDataAccess`. */
export const isOwnDataAction = (name: string): boolean =>
  FILES.some(({ ownData }) => ownData?.actions.includes(name));

export const findCommandFile = (name: string): CommandFile | undefined =>
  FILES.find(({ spec }) => spec?.name === name);

/** Lists the labels of a choice in every language, including short forms (`option=choice.…`). */
export const listChoiceLabels: ListChoiceLabels = ({ name }, option, choice) => {
  const key = `${option}=${choice}`;
  const texts = Object.entries(findCommandFile(name)?.texts ?? {});
  return texts.flatMap(([textKey, labels]) =>
    textKey === key || textKey.startsWith(`${key}.`) ? Object.values<string>(labels) : [],
  );
};

/** Finds the handler of a command in the menu of a message. */
export const findMessageHandler = (name: string): CommandFile['runMessageCommand'] =>
  FILES.find(({ messageCommand }) => messageCommand?.name === name)?.runMessageCommand;
