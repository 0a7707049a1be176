import { FILES } from './command-list.ts';
import * as askAbout from './definitions/ask-about.ts';
import * as answerFile from './buttons/answer-file-button.ts';
import * as follow from './buttons/follow-up-button.ts';
import * as home from './definitions/home.ts';
import { type MatchChoice, normalizeText } from './arguments/parse-arguments.ts';
import type { CommandSpec } from './framework/command-spec.ts';
import { parseRecurrenceText, type Weekday, WEEKDAYS } from '../schedules/rules/index.ts';
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
export function listChoiceLabels(
  { name }: Pick<CommandSpec, 'name'>,
  option: string,
  choice: string,
): readonly string[] {
  const key = `${option}=${choice}`;
  const texts = Object.entries(findCommandFile(name)?.texts ?? {});
  return texts.flatMap(([textKey, labels]) =>
    textKey === key || textKey.startsWith(`${key}.`) ? Object.values<string>(labels) : [],
  );
}

/** The choices that mean days, by the days. */
const DAY_CHOICES = new Map<string, readonly Weekday[]>([
  ...WEEKDAYS.map((day) => [day, [day]] as const),
  ['weekdays', WEEKDAYS.slice(0, 5)],
  ['every-day', WEEKDAYS],
]);

/** Whether a word means the days of a choice, as at the beginning of a schedule: `segunda`, `montags`, `miercoles`. */
function meansDays(choice: string, word: string): boolean {
  const days = DAY_CHOICES.get(choice);
  const parsed = days && parseRecurrenceText(word);
  if (!days || !parsed || parsed.rest !== '' || parsed.minuteOfDay !== undefined) return false;
  return parsed.weekdays.join(' ') === days.join(' ');
}

/** Whether a word is the label of a choice in any language, or means its days. */
export const matchesChoice: MatchChoice = (spec, option, choice, word) =>
  listChoiceLabels(spec, option, choice).some((label) => normalizeText(label) === word) ||
  meansDays(choice, word);

/** Finds the handler of a command in the menu of a message. */
export const findMessageHandler = (name: string): CommandFile['runMessageCommand'] =>
  FILES.find(({ messageCommand }) => messageCommand?.name === name)?.runMessageCommand;
