import { describe, expect, test } from '@jest/globals';
import { scheduleTexts } from '../../../shared/commands/definitions/scheduled/schedule-texts.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import {
  formatTimeOfDay,
  parseRecurrenceText,
  parseTimeText,
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
  ['every day from Monday to Friday at 9, news', `${WORKDAYS} 09:00 | news`],
  ['every day at 9 from Monday to Friday, news', `${WORKDAYS} 09:00 | news`],
  ['at 9 every day from Monday to Friday, news', `${WORKDAYS} 09:00 | news`],
  ['every day from Monday to Friday, news', `${WORKDAYS} - | news`],
  ['todos los días a las 9 de lunes a viernes, noticias', `${WORKDAYS} 09:00 | noticias`],
  ["every day at 9: Monday's numbers", `${DAILY} 09:00 | Monday's numbers`],
  ['mondays at 9: weekend weather', 'mo 09:00 | weekend weather'],
  ['mondays at 9, daily numbers', 'mo 09:00 | daily numbers'],
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
  ['jeden Tag um 9 Uhr 30: Was ist neu?', `${DAILY} 09:30 | Was ist neu?`],
  ['montags 21 Uhr 05 Zahlen', 'mo 21:05 | Zahlen'],
  ['tous les jours à 9 h 30, quoi de neuf ?', `${DAILY} 09:30 | quoi de neuf ?`],
  ['tous les jours à 9 heures 30, quoi de neuf ?', `${DAILY} 09:30 | quoi de neuf ?`],
  ['tous les jours à 9 heures et demie, quoi de neuf ?', `${DAILY} 09:30 | quoi de neuf ?`],
  ['tous les jours à neuf heures moins le quart du soir, quoi ?', `${DAILY} 20:45 | quoi ?`],
  ['chaque lundi à dix heures : quoi de neuf ?', 'mo 10:00 | quoi de neuf ?'],
  ['tous les jours à midi et quart, les nouvelles', `${DAILY} 12:15 | les nouvelles`],
  ['todos los días a las 9 y media, ¿qué hay?', `${DAILY} 09:30 | ¿qué hay?`],
  ['todos los días a las nueve y media de la noche, ¿qué hay?', `${DAILY} 21:30 | ¿qué hay?`],
  ['todos los días a las 9 menos cuarto, ¿qué hay?', `${DAILY} 08:45 | ¿qué hay?`],
  ['todo dia às 9 e meia, novidades', `${DAILY} 09:30 | novidades`],
  ['todo dia às nove horas, novidades', `${DAILY} 09:00 | novidades`],
  ['toda segunda as duas maiores novidades', 'mo - | as duas maiores novidades'],
  ['jeden Tag um halb 9: Neues', `${DAILY} 08:30 | Neues`],
  ['jeden Tag halb neun abends: Neues', `${DAILY} 20:30 | Neues`],
  ['jeden Tag um Viertel nach 9, Neues', `${DAILY} 09:15 | Neues`],
  ['jeden Tag um zehn Uhr: Neues', `${DAILY} 10:00 | Neues`],
  ['every day at half past 10, what is new?', `${DAILY} 10:30 | what is new?`],
  ['every day at a quarter to five in the afternoon, news', `${DAILY} 16:45 | news`],
  ['every day at half past midnight, news', `${DAILY} 00:30 | news`],
  ['every day at quarter to 12 at night, news', `${DAILY} 23:45 | news`],
  ['every day at ten, what is new?', `${DAILY} 10:00 | what is new?`],
  ['every day at six o’clock in the evening, news', `${DAILY} 18:00 | news`],
  ['jeden Tag um ein Uhr nachts: Neues', `${DAILY} 01:00 | Neues`],
  ['chaque lundi à une heure de l’après-midi, quoi ?', 'mo 13:00 | quoi ?'],
  ['cada lunes a la una de la tarde, ¿qué hay?', 'mo 13:00 | ¿qué hay?'],
  ['toda sexta às cinco da tarde, novidades', 'fr 17:00 | novidades'],
  ['every monday one joke', 'mo - | one joke'],
  ['every monday at 9 three jokes', 'mo 09:00 | three jokes'],
  ['毎日九時に、ニュース', `${DAILY} 09:00 | ニュース`],
  ['毎日十二時半に、ニュース', `${DAILY} 12:30 | ニュース`],
  ['毎日9時5分に、ニュース', `${DAILY} 09:05 | ニュース`],
  ['매일 아홉 시에 소식', `${DAILY} 09:00 | 소식`],
  ['매일 열한 시 반에 소식', `${DAILY} 11:30 | 소식`],
  ['매일 9시 5분에 소식', `${DAILY} 09:05 | 소식`],
  ['每天九点总结', `${DAILY} 09:00 | 总结`],
  ['每天下午两点一刻，总结', `${DAILY} 14:15 | 总结`],
  ['每天一点新闻', `${DAILY} - | 一点新闻`],
  ['todos os dias um resumo das notícias', `${DAILY} - | um resumo das notícias`],
  ['todo dia um dos temas do momento', `${DAILY} - | um dos temas do momento`],
  ['every day at 9: 24h summary of the news', `${DAILY} 09:00 | 24h summary of the news`],
  ['毎日9時に24時間のニュースまとめ', `${DAILY} 09:00 | 24時間のニュースまとめ`],
  ['매일 9시에 24시간 뉴스 요약', `${DAILY} 09:00 | 24시간 뉴스 요약`],
  ['毎日二時間ごとに、ニュース', `${DAILY} - | 二時間ごとに、ニュース`],
  ['매일 두 시간마다 알려줘', `${DAILY} - | 두 시간마다 알려줘`],
  ['every day once in the morning, what is new?', `${DAILY} - | once in the morning, what is new?`],
  ['todos los lunes a las once, ¿qué hay?', 'mo 11:00 | ¿qué hay?'],
  ['todos los lunes una hora de ejercicios', 'mo - | una hora de ejercicios'],
  ['chaque lundi une heure de veille', 'mo - | une heure de veille'],
  ['chaque lundi deux heures de veille', 'mo - | deux heures de veille'],
  ['chaque lundi à deux heures, la veille', 'mo 02:00 | la veille'],
  ['jeden Tag um drei viertel neun: Neues', `${DAILY} 08:45 | Neues`],
  ['周一到周五9点，有什么新消息？', `${WORKDAYS} 09:00 | 有什么新消息？`],
  ['星期一至星期五9点，新闻', `${WORKDAYS} 09:00 | 新闻`],
  ['周一～周五9点，新闻', `${WORKDAYS} 09:00 | 新闻`],
  ['周一到五15点，新闻', `${WORKDAYS} 15:00 | 新闻`],
  ['每周一三五15点，新闻', 'mowefr 15:00 | 新闻'],
  ['周一、三、五15点，新闻', 'mowefr 15:00 | 新闻'],
  ['周六日下午3点，新闻', 'sasu 15:00 | 新闻'],
  ['每周一三点新闻', 'mo 03:00 | 新闻'],
  ['每周一天气预报', 'mo - | 天气预报'],
  ['周一三个笑话', 'mo - | 三个笑话'],
  ['周一，一个笑话', 'mo - | 一个笑话'],
  ['todos los días de lunes a viernes a las 9, ¿qué hay?', `${WORKDAYS} 09:00 | ¿qué hay?`],
  ['tous les jours du lundi au vendredi à 9h, quoi ?', `${WORKDAYS} 09:00 | quoi ?`],
  ['jeden Tag von Montag bis Freitag um 9: Neues', `${WORKDAYS} 09:00 | Neues`],
  ['daily monday to friday at 9, news', `${WORKDAYS} 09:00 | news`],
  ['todos os dias de segunda a sexta às 9, novidades', `${WORKDAYS} 09:00 | novidades`],
  ['매일 월요일부터 금요일까지 9시, 소식', `${WORKDAYS} 09:00 | 소식`],
  ['毎日、月曜から金曜まで9時、ニュース', `${WORKDAYS} 09:00 | ニュース`],
  ['工作日每天15点，新闻', `${WORKDAYS} 15:00 | 新闻`],
  ['月曜・水曜・金曜の9時に、ニュース', 'mowefr 09:00 | ニュース'],
  ['매주 금요일 지난주 소식', 'fr - | 지난주 소식'],
  ['매일 에너지 소식', `${DAILY} - | 에너지 소식`],
  ['毎日 9時 に、ニュース', `${DAILY} 09:00 | ニュース`],
  ['매일 9시 까지 소식', `${DAILY} 09:00 | 소식`],
  ['毎週月曜日まとめて', 'mo - | まとめて'],
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
  ['9 Uhr 30', 570],
  ['halb 9', 510],
  ['9 y media', 570],
  ['ten', undefined],
  ['at ten', 600],
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
  ['at 16:30 the numbers', 990, 'the numbers'],
  ['um halb 9: die Zahlen', 510, 'die Zahlen'],
  ['à 16h30, les chiffres', 990, 'les chiffres'],
  ['16h: les chiffres', 960, 'les chiffres'],
  ['a las 9 de la noche, las cifras', 1_260, 'las cifras'],
  ['午後4時に、数字', 960, '数字'],
  ['오후 4시에 숫자', 960, '숫자'],
  ['下午4点，数字', 960, '数字'],
  ['the numbers', undefined, 'the numbers'],
  ['- the numbers', undefined, '- the numbers'],
  ['evening news', undefined, 'evening news'],
  ['24h summary', undefined, '24h summary'],
  ["at 9: Monday's numbers", 540, "Monday's numbers"],
  ['at 9 weekend weather', 540, 'weekend weather'],
  ['', undefined, ''],
])('where the days are known, “%s” is at %p', (text, minuteOfDay, rest) => {
  expect(parseTimeText(text)).toEqual({ minuteOfDay, rest, hasTrailingTime: false, hasException: false });
});

test.each(['tell me the news at 10', 'at 25:00 the numbers', '16h les chiffres', 'at 9 and 17, the numbers'])(
  'where the days are known, the time of “%s” is not guessed',
  (text) => {
    expect(parseTimeText(text).hasTrailingTime).toBe(true);
  },
);
