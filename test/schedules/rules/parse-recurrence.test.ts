import { describe, expect, test } from '@jest/globals';
import { scheduleTexts } from '../../../shared/commands/definitions/scheduled/schedule-texts.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import {
  formatTimeOfDay,
  parseRecurrenceText,
  parseTypedTime,
  WEEKDAYS,
} from '../../../shared/schedules/rules/index.ts';

/** `mon-fri 09:00 | rest`. */
function read(text: string): string | undefined {
  const parsed = parseRecurrenceText(text);
  if (!parsed) return undefined;
  const { weekdays, minuteOfDay, rest } = parsed;
  const days = weekdays.map((day) => day.slice(0, 2)).join('');
  return `${days} ${minuteOfDay === undefined ? '-' : formatTimeOfDay(minuteOfDay)} | ${rest}`;
}

const DAILY = WEEKDAYS.map((day) => day.slice(0, 2)).join('');
const WORKDAYS = 'motuwethfr';

test.each([
  ['every weekday at 9, what is new?', `${WORKDAYS} 09:00 | what is new?`],
  ['every weekday at 9 what is new?', `${WORKDAYS} 09:00 | what is new?`],
  ['Every day: a joke', `${DAILY} - | a joke`],
  ['every monday and thursday at 4:30 pm on call list', 'moth 16:30 | on call list'],
  ['mondays, wednesdays at 12 am. Hello', 'mowe 00:00 | Hello'],
  ['monday to friday 8:15 news', `${WORKDAYS} 08:15 | news`],
  ['every monday 3 jokes', 'mo - | 3 jokes'],
  ['at 9 every weekend, a recipe', 'sasu 09:00 | a recipe'],
  ['jeden Werktag um 9 Uhr: Was ist neu?', `${WORKDAYS} 09:00 | Was ist neu?`],
  ['montags und freitags um 16.30 Uhr, Zahlen', 'mofr 16:30 | Zahlen'],
  ['jeden Montag um 9 Neues', 'mo 09:00 | Neues'],
  ['tous les jours à 9h30, les nouvelles', `${DAILY} 09:30 | les nouvelles`],
  ['chaque lundi à 9 h : quoi de neuf ?', 'mo 09:00 | quoi de neuf ?'],
  ['todos los días a las 9, ¿qué hay?', `${DAILY} 09:00 | ¿qué hay?`],
  ['cada lunes y jueves a las 18:00 un resumen', 'moth 18:00 | un resumen'],
  ['toda segunda-feira às 9h, novidades', 'mo 09:00 | novidades'],
  ['毎週月曜日の9時に、ニュース', 'mo 09:00 | ニュース'],
  ['平日の午後5時半に要約', `${WORKDAYS} 17:30 | 要約`],
  ['매일 오전 9시에 소식', `${DAILY} 09:00 | 소식`],
  ['월요일부터 금요일까지 9시에 요약', `${WORKDAYS} 09:00 | 요약`],
  ['每个工作日9点，总结', `${WORKDAYS} 09:00 | 总结`],
  ['每周一和周五下午3点 总结', 'mofr 15:00 | 总结'],
  ['todo dia útil às 9, o que há de novo?', `${WORKDAYS} 09:00 | o que há de novo?`],
  ['todos os dias úteis às 9h, novidades', `${WORKDAYS} 09:00 | novidades`],
  ['todos los días laborables a las 9, ¿qué hay?', `${WORKDAYS} 09:00 | ¿qué hay?`],
  ['todos los días hábiles a las 9, ¿qué hay?', `${WORKDAYS} 09:00 | ¿qué hay?`],
  ['tous les jours ouvrés à 9h, quoi de neuf ?', `${WORKDAYS} 09:00 | quoi de neuf ?`],
  ['chaque jour de semaine à 9h : quoi de neuf ?', `${WORKDAYS} 09:00 | quoi de neuf ?`],
  ['todos os dias da semana às 9, novidades', `${DAILY} 09:00 | novidades`],
  ['an jedem Arbeitstag um 9: Was ist neu?', `${WORKDAYS} 09:00 | Was ist neu?`],
  ['every business day at 9, what is new?', `${WORKDAYS} 09:00 | what is new?`],
  ['every day at 9 in the evening, what is new?', `${DAILY} 21:00 | what is new?`],
  ['every day at 8:15 in the morning: news', `${DAILY} 08:15 | news`],
  ['every day at noon, what is new?', `${DAILY} 12:00 | what is new?`],
  ['every friday at midnight: a summary', 'fr 00:00 | a summary'],
  ['every friday at 11 at night: a summary', 'fr 23:00 | a summary'],
  ['jeden Freitag um 6 Uhr abends: Zahlen', 'fr 18:00 | Zahlen'],
  ['jeden Freitag um 6 am Abend: Zahlen', 'fr 18:00 | Zahlen'],
  ['jeden Tag um 8 Uhr morgens, Neues', `${DAILY} 08:00 | Neues`],
  ['täglich um Mitternacht: Zahlen', `${DAILY} 00:00 | Zahlen`],
  ['tous les jours à 7 heures du soir, les nouvelles', `${DAILY} 19:00 | les nouvelles`],
  ['tous les jours à midi, les nouvelles', `${DAILY} 12:00 | les nouvelles`],
  ['todos los días a las 9 de la noche, ¿qué hay?', `${DAILY} 21:00 | ¿qué hay?`],
  ['todos los días a las 12 de la noche, ¿qué hay?', `${DAILY} 00:00 | ¿qué hay?`],
  ['todos los días a las 2 de la madrugada, ¿qué hay?', `${DAILY} 02:00 | ¿qué hay?`],
  ['todos los días al mediodía, ¿qué hay?', `${DAILY} 12:00 | ¿qué hay?`],
  ['todo dia às 9 da noite, novidades', `${DAILY} 21:00 | novidades`],
  ['todo dia ao meio-dia, novidades', `${DAILY} 12:00 | novidades`],
  ['毎日正午に、ニュース', `${DAILY} 12:00 | ニュース`],
  ['毎日夕方6時に、ニュース', `${DAILY} 18:00 | ニュース`],
  ['매일 저녁 7시에 소식', `${DAILY} 19:00 | 소식`],
  ['매일 밤 12시에 소식', `${DAILY} 00:00 | 소식`],
  ['每天晚上12点总结', `${DAILY} 00:00 | 总结`],
  ['每天中午12点，总结', `${DAILY} 12:00 | 总结`],
])('%s', (text, expected) => {
  expect(read(text)).toBe(expected);
});

test.each(LOCALES)('the example that the bot shows in %s means what it says in English', (locale) => {
  expect(read(scheduleTexts['example.what'][locale])).toMatch(new RegExp(`^${WORKDAYS} 09:00 \\| \\S`, 'u'));
});

test.each([
  ['9', 540],
  ['9:30', 570],
  ['at 9', 540],
  ['um 16:30 Uhr', 990],
  ['à 9h', 540],
  ['a las 9', 540],
  ['às 9', 540],
  ['午後4時半に', 990],
  ['오후 4시', 960],
  ['下午４点', 960],
  ['9 de la noche', 1_260],
  ['12 in the morning', undefined],
  ['mediodía', 720],
  ['9 news', undefined],
  ['at', undefined],
  ['moonday 9', undefined],
  ['25 Uhr', undefined],
])('the time %s is %p', (text, minutes) => {
  expect(parseTypedTime(text)).toBe(minutes);
});

describe('what it does not understand', () => {
  test.each([
    'at 9',
    'what is new every monday?',
    'every second monday at 9',
    'every weekday at 25',
    'every weekday at 9:75',
    'todos los días a las 12 de la mañana',
    'mondayish at 9',
    '',
  ])('%s', (text) => {
    expect(read(text)).toBeUndefined();
  });
});

test.each([
  ['every day except Sunday at 9, what is new?', true],
  ['every day tell me the news at 10', true],
  ['jeden Tag außer sonntags um 9: Was ist neu?', true],
  ['todo dia me conte as novidades às 10h', true],
  ['毎日ニュースを10時に教えて', true],
  ['every friday afternoon, a summary', true],
  ['todos los viernes por la tarde, un resumen', true],
  ['jeden Freitag am Abend: Zahlen', true],
  ['每周五晚上总结', true],
  ['every monday morning, what is new?', false],
  ['every friday, the nights of the week', false],
  ['every monday look at 5 open tickets, and sum them up', false],
  ['every day at 9, what happened at 8', false],
])('a time behind the request is not guessed: %s', (text, expected) => {
  expect(parseRecurrenceText(text)?.hasLateTime).toBe(expected);
});
