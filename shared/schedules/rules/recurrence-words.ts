import { type Weekday, WEEKDAYS } from './recurrence.ts';

/** Words for days at the beginning of a text, as a regular expression. Letters may not follow. */
type DayWords = { readonly weekdays: readonly Weekday[]; readonly pattern: RegExp };

const WORKDAYS = WEEKDAYS.slice(0, 5);
const WEEKEND = WEEKDAYS.slice(5);

/** Chinese, Japanese and Korean do not separate words by spaces: what follows is not looked at. */
const createStartPattern = (latin: string, other: string): RegExp =>
  new RegExp(`(?:(?:${latin})(?!\\p{L})|(?:${other}))`, 'iuy');

const portuguese = (day: string): string => `${day}s?(?:[- ]feiras?)?`;
const chinese = (day: string): string => `(?:周|週|星期|礼拜)${day}`;
const german = (day: string): string => `${day}s?|jede[nrs]? ${day}`;

/** Longer phrases come before shorter ones that they begin with. */
export const DAY_WORDS: readonly DayWords[] = [
  {
    weekdays: WORKDAYS,
    pattern: createStartPattern(
      'weekdays?|workdays?|(?:working|business) days?|werktags|werktagen?|werktag|arbeitstage?n?|wochentags|wochentagen?|wochentag|werktäglich|(?:tous les )?jours? ouvrables?|(?:tous les )?jours? ouvrés?|en semaine|(?:chaque |tous les )?jours? de semaine|(?:todos los )?d[ií]as? (?:laborables?|h[áa]biles|h[áa]bil)|entre semana|(?:todos os )?dias úteis|(?:todo )?dia útil',
      '平日|평일|工作日',
    ),
  },
  {
    weekdays: WEEKDAYS,
    pattern: createStartPattern(
      'every day|each day|daily|jeden tag|täglich|(?:tous les jours|chaque jour)(?: de la semaine)?|todos los d[ií]as(?: de la semana)?|cada día|a diario|diariamente|todos os dias(?: da semana)?|todo dia|todo o dia|cada dia',
      '毎日|매일|每天|每日',
    ),
  },
  {
    weekdays: WEEKEND,
    pattern: createStartPattern(
      'weekends?|wochenenden?|week-ends?|fines? de semana|fin de semana|fins? de semana|fim de semana',
      '週末|주말|周末',
    ),
  },
  ...(
    [
      [
        'monday',
        `mondays?|${german('montag')}|lundis?|lunes|${portuguese('segunda')}`,
        '月曜日?',
        '월요일',
        '一',
      ],
      [
        'tuesday',
        `tuesdays?|${german('dienstag')}|mardis?|martes|${portuguese('terça')}`,
        '火曜日?',
        '화요일',
        '二',
      ],
      [
        'wednesday',
        `wednesdays?|mittwochs?|jeden mittwoch|mercredis?|miércoles|miercoles|${portuguese('quarta')}`,
        '水曜日?',
        '수요일',
        '三',
      ],
      [
        'thursday',
        `thursdays?|${german('donnerstag')}|jeudis?|jueves|${portuguese('quinta')}`,
        '木曜日?',
        '목요일',
        '四',
      ],
      [
        'friday',
        `fridays?|${german('freitag')}|vendredis?|viernes|${portuguese('sexta')}`,
        '金曜日?',
        '금요일',
        '五',
      ],
      [
        'saturday',
        `saturdays?|${german('samstag')}|sonnabends?|samedis?|sábados?|sabados?`,
        '土曜日?',
        '토요일',
        '六',
      ],
      ['sunday', `sundays?|${german('sonntag')}|dimanches?|domingos?`, '日曜日?', '일요일', '[日天]'],
    ] as const
  ).map(([day, latin, japanese, korean, chineseDay]) => ({
    weekdays: [day],
    pattern: createStartPattern(latin, `${japanese}|${korean}|${chinese(chineseDay)}`),
  })),
];

/** Between the first and the last of several days: `Monday to Friday`. */
export const UNTIL =
  /\s*(?:(?:to|through|until|bis|au|a|à|até)(?!\p{L})|[-–~〜]|から|부터|至|到)\s*(?:星期|周)?/iuy;

/** Words between days and time that say nothing, and punctuation. Not `a`, which often begins a request. */
export const FILLER = new RegExp(
  [
    '[\\s,，、;；:：·]+',
    '(?:every|each|on|and|jede[nrsm]?|an|am|und|immer|von|tous les|chaque|les?|et|du|de|cada|todos los|todas las|los|el|y|toda|todas as|todos os|nas?|nos?|aos?|e)(?!\\p{L})',
    '毎週|每个?|每周(?=[周星])|まで|매주|까지|마다|[のにとは]|에|과|와|在|的|和',
  ].join('|'),
  'iuy',
);

/**
 * A part of the day without an hour, where 9:00, the time of a schedule that names none, is surely wrong: `every Friday afternoon, …`.
 */
export const LATE_PART =
  /^(?:(?:in the|at|am|in der|por la|en la|a la|le|dans l['’]|l['’]|à|na)\s*)?(?:(?:afternoons?|evenings?|nights?|nachmittags?|abends?|nachts?|après-midi|soirs?|nuits?|tardes?|noches?|noites?)(?!\p{L})|午後|昼|夕方|夜|晩|오후|점심|저녁|밤|下午|傍晚|晚上|夜里)/iu;

/**
 * A time of day that follows a request: `tell me the news at 10`. Latin languages only at the end of the first clause, so that
 * `look at 5 tickets` is none.
 */
export const LATE_TIME =
  /^[^,，、;；?？]*?(?:(?<!\p{L})(?:at|um|gegen|à|a las?|às)\s+\d{1,2}(?:[:.h]\d{2})?\s*(?:[ap]\.?m\.?|uhr|h|heures?|horas?|o['’]clock)?\s*(?:$|[,，、;；:?？.](?:\s|$))|\d{1,2}\s*(?:時|시)\s*(?:[半반]|\d{1,2}[分분])?\s*[に에])/iu;

/** The parts of a time of day, in this order. All but `hour` may be missing. */
export const TIME = {
  /** Before a time: without it, a bare number is not one (`3 jokes`). */
  at: /(?:(?:at|um|gegen|à|a las?|às|as)\s+|@\s*)/iuy,
  /** Times that are a word. */
  noon: /\s*(?:(?:al|zum|zu)\s+)?(?:(?:noon|midday|mittags?|midi|mediod[ií]a|meio[- ]dia)(?!\p{L})|正午|정오|中午(?:\s*12\s*[点點时時]?)?)/iuy,
  midnight:
    /\s*(?:(?:midnight|mitternachts?|minuit|medianoche|meia[- ]noite)(?!\p{L})|真夜中|자정|午夜|半夜)/iuy,
  morning: /\s*(?:午前|오전|上午|早上|朝の?|아침|새벽|凌晨)\s*/uy,
  afternoon: /\s*(?:午後|오후|下午|夕方の?|저녁|傍晚)\s*/uy,
  night: /\s*(?:晚上|夜の?|밤)\s*/uy,
  hour: /\d{1,2}(?!\d)/uy,
  minute: /(?:[:：.h]|\s*(?:時|时|点|點|시)\s*)(\d{2})(?!\d)(?:分|분)?/iuy,
  halfPast: /\s*(?:時|时|点|點|시)\s*[半반]/uy,
  am: /\s*a\.?m(?!\p{L})\.?/iuy,
  pm: /\s*p\.?m(?!\p{L})\.?/iuy,
  /** Parts of the day behind a time: `a las 9 de la noche`. */
  inMorning:
    /\s*(?:in the morning|morgens|vormittags|früh|am (?:morgen|vormittag)|du matin|de la (?:mañana|madrugada)|da (?:manhã|madrugada))(?!\p{L})/iuy,
  inAfternoon:
    /\s*(?:in the (?:afternoon|evening)|nachmittags|abends|am (?:nachmittag|abend)|de l['’]après-midi|du soir|de la tarde|da tarde)(?!\p{L})/iuy,
  atNight: /\s*(?:at night|nachts|in der nacht|de la (?:noche|nuit)|da noite)(?!\p{L})/iuy,
  /** Behind a time. */
  clock: /\s*(?:(?:uhr|h|heures?|horas?|o['’]clock)(?!\p{L})|時|时|点|點|시)/iuy,
} as const;
