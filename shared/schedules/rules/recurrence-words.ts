import { type Weekday, WEEKDAYS } from './recurrence.ts';

/** Words for days at the beginning of a text, as a regular expression. Letters may not follow. */
export type DayWords = {
  readonly weekdays: readonly Weekday[];
  /** Whether they mean every day. With other days beside them, those count. */
  readonly isDaily?: boolean;
  readonly pattern: RegExp;
};

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
    isDaily: true,
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
  /\s*(?:(?:to|through|until|bis|au|a|à|até)(?!\p{L})|[-–~〜～]|—{1,2}|から|부터|至|到)\s*/iuy;

/** Monday to Sunday in Chinese, behind `周`. */
export const CHINESE_DAYS = ['一', '二', '三', '四', '五', '六', '日天'] as const;
const AFTER_CHINESE_DAY = '(?<=(?:周|週|星期|礼拜)[一二三四五六日天])';
/** What may follow days: a part of the day, a time in digits, or punctuation. Not a word of the request. */
const END_OF_DAYS = String.raw`(?=\s*(?:的\s*)?(?:\d|[上下中]午|早上|晚上|凌晨|傍晚|半夜|午夜|[,，:：;；。]|$))`;

/** Behind a Chinese day, more of them without `周`: the last one (`周一到五15点`), or others (`每周一三五15点`, `周一、三、五15点`). */
export const SHORT_DAYS = {
  last: new RegExp(
    String.raw`${AFTER_CHINESE_DAY}\s*(?:至|到|[-–~〜～]|—{1,2})\s*([一二三四五六日天])${END_OF_DAYS}`,
    'uy',
  ),
  more: new RegExp(
    String.raw`${AFTER_CHINESE_DAY}((?:\s*(?:[、,，和及与·・]\s*)?[一二三四五六日天])+)${END_OF_DAYS}`,
    'uy',
  ),
} as const;

/** What makes a Chinese number one of something else than days: `三个笑话`, `三点`. */
const NOT_COUNTED = '(?![个個点點时時条條篇件则則句首种種项項起些下般])';

/** Behind days, what seems to be more of them, in a form that is not understood: `周一到五新闻`, `月曜・水・金の9時`, `월요일, 수, 금 9시`. */
export const MORE_DAYS = new RegExp(
  [
    String.raw`${AFTER_CHINESE_DAY}\s*(?:[至到、]\s*[一二三四五六日天]|[一二三四五六]{2,})${NOT_COUNTED}`,
    String.raw`(?<=曜日?)(?:から|\s*[・･~〜～–-]|\s*、(?=.[・、]))\s*[月火水木金土日](?=[・･、,\s曜の~〜～\d]|まで)`,
    String.raw`(?:부터\s*[월화수목금토일](?!\p{L}|$)|부터\s*[월화수목금토일]까지|(?<=요일)\s*[,、·・~〜～–-]\s*[월화수목금토일]\s*(?:[,、·・]|\d|까지|오[전후]))`,
    // Behind a time, with another one: 月曜9時・水10時. Not 毎日9時 - 月の売上.
    String.raw`\s*[・･、,]\s*[月火水木金土日]曜?の?\d{1,2}[時时:：]`,
    String.raw`\s*[,、·・]\s*[월화수목금토일]\s*(?:오[전후]\s*)?\d{1,2}\s*(?:시(?!간)|[:：])`,
  ].join('|'),
  'uy',
);

/** Words between days and time that say nothing, and punctuation. Not `a`, which often begins a request. */
export const FILLER = new RegExp(
  [
    '[\\s,，、;；:：·・･]+',
    '(?:every|each|on|from|and|jede[nrsm]?|an|am|und|immer|von|tous les|chaque|les?|et|du|de|cada|todos los|todas las|los|el|y|toda|todas as|todos os|nas?|nos?|aos?|e)(?!\\p{L})',
    '毎週|每个?|每周(?=[周星])|まで|매주|까지|마다|[のにとは]|에|과|와|在|的|和',
  ].join('|'),
  'iuy',
);

/** Among those words, one that begins a range of days: `from Monday to Friday`. */
export const FROM = /(?<!\p{L})(?:from|von|du|de)(?!\p{L})/iu;

/**
 * A part of the day without an hour, where 9:00, the time of a schedule that names none, is surely wrong: `every Friday afternoon, …`.
 */
export const TRAILING_DAY_PART =
  /^(?:(?:in the|at|am|in der|por la|en la|a la|le|dans l['’]|l['’]|à|na)\s*)?(?:(?:afternoons?|evenings?|nights?|nachmittags?|abends?|nachts?|après-midi|soirs?|nuits?|tardes?|noches?|noites?)(?!\p{L})|午後|昼|夕方|夜|晩|오후|점심|저녁|밤|下午|傍晚|晚上|夜里)/iu;

/** Hours as words, from one to twelve: Latin languages; Chinese and Japanese; Korean. `一点` is left out: it is also `a little`; and `once in`. */
const HOUR_WORDS = [
  ['one|eins?|une|una|uma', '一(?=[時时])', '한'],
  ['two|zwei|deux|dos|duas', '[二两]', '두'],
  ['three|drei|trois|tres|três', '三', '세'],
  ['four|vier|quatre|cuatro|quatro', '四', '네'],
  ['five|fünf|cinq|cinco', '五', '다섯'],
  ['six|sechs|seis', '六', '여섯'],
  ['seven|sieben|sept|siete|sete', '七', '일곱'],
  ['eight|acht|huit|ocho|oito', '八', '여덟'],
  ['nine|neun|neuf|nueve|nove', '九', '아홉'],
  ['ten|zehn|dix|diez|dez', '十', '열'],
  [String.raw`eleven|elf|onze|once(?!\s+(?:in|at|per)\s)`, '十一', '열한'],
  ['twelve|zwölf|douze|doce|doze', '十二', '열두'],
] as const;

/** `une heure`, `dos horas`: a duration, unless a word for `at` is before it. */
const NOT_DURATION = String.raw`(?:(?<=(?:à|las?|às)\s+\p{L}+)|(?!\s+(?:heures?|horas?)(?!\p{L})))`;

/** Hours as words, in their order: the first is one. */
export const HOURS: readonly RegExp[] = HOUR_WORDS.map(
  ([latin, han, korean]) =>
    new RegExp(
      String.raw`(?:(?:${latin})(?!\p{L})${NOT_DURATION}|${han}(?=\s*(?:[時时](?![間间])|[点點]))|${korean}(?=\s*시(?!간)))`,
      'iuy',
    ),
);

/** What may stand for an hour or minutes. The parts of an hour, and minutes as words, are not all understood. */
const NUMBER = String.raw`(?:\d{1,2}(?!\d)|(?:${HOUR_WORDS.map(([latin]) => latin).join('|')}|half|quarter|halb|(?:drei\s?)?viertel|quart|cuarto|quarto)(?!\p{L}))`;
const MINUTES = String.raw`(?:fifteen|twenty|thirty|fou?rty|fifty|fünfzehn|zwanzig|dreißig|dreissig|vierzig|fünfzig|quinze|vingt|trente|quarante|cinquante|quince|veinte|treinta|cuarenta|cincuenta|vinte|trinta|quarenta|cinquenta)(?!\p{L})`;

/**
 * A time of day that follows a request: `tell me the news at 10`. Latin languages only at the end of the first clause, so that
 * `look at 5 tickets` is none; or what comes before a time, at the beginning: `at lunchtime, …`, `um dreiundzwanzig Uhr: …`.
 */
export const TRAILING_TIME = new RegExp(
  [
    String.raw`^[^,，、;；?？]*?(?:(?<!\p{L})(?:at|(?<!(?:one|two) )by(?!\s+(?:half|quarter))|around|um|gegen|à(?!\s+(?:deux|trois|quatre)(?!\p{L}|\s+h))|vers|a las?|hacia las?|sobre las?|às|por volta das?)\s+${NUMBER}(?:[:.h]\d{2})?\s*(?:[ap]\.?m\.?|uhr|h|heures?|horas?|o['’]clock)?\s*(?:$|[,，、;；:?？.](?:\s|$))|\d{1,2}\s*(?:時|시)\s*(?:[半반]|\d{1,2}[分분])?\s*[に에])`,
    String.raw`^(?:at|um(?=\s[^,:;]*\suhr|\s(?:drei\s?)?viertel\s)|gegen|à|a las?|às)\s`,
    String.raw`^(?:halb|half|(?:drei\s?)?viertel|quarter|${NUMBER}\s+(?:past|vor|nach))\s+${NUMBER}`,
    String.raw`^[一二三四五六七八九十两]{1,3}\s*[時时点點]`,
  ].join('|'),
  'iu',
);

/** Behind a time, what makes it another one, or adds one: `at 9 and 17`, `um 10 vor 9`, `at ten thirty`, `9-17`, `九点十五分`. */
export const MORE_TIME = new RegExp(
  [
    String.raw`^\s*,?\s*(?:and|und|et|y|e|or|oder|ou|o|&)\s+(?:(?:at|um|à|a las?|às)\s+)?(?:${NUMBER}|${MINUTES})`,
    String.raw`^\s*(?:past|to|till|until|nach|vor|bis|moins|menos|hasta las|para as?|até às)\s+(?:${NUMBER}|${MINUTES})`,
    String.raw`^\s*(?:five|ten|fünf|zehn|cinq|dix|cinco|diez|dez)\s*(?:[,，;；:：]|$)`,
    String.raw`^\s*${MINUTES}|^\s*[0-5]\d\s*(?:[,，、;；:：]|$)|^[-–/,]\d`,
    String.raw`^\s*(?:[一二三四五六七八九十]{1,3}\s*分|[일이삼사오육칠팔구십]{1,3}\s*분)`,
  ].join('|'),
  'iu',
);

/** A time zone behind a time, in capitals. The option `zone` sets it; without that it would be ignored. */
export const ZONE =
  /^\s*[(（]?(?:UTC|GMT|CES?T|MES?Z|BST|WES?T|EES?T|[ECMP][SD]?T|JST|KST|IST|AE[SD]T|BRT)(?![\p{L}\d]|-(?!\d))/u;

/** Behind days or a time, an exception. It is not understood, and the days would be wrong without it. */
export const EXCEPTION = new RegExp(
  [
    String.raw`^[(（]?(?:except(?:ed|ing)?|exclud(?:ing|ed)|but(?= (?:not|never|on|for) | \w+days?(?!\w)| weekends?(?!\w))|unless|other than|apart from|not on|außer|ausser|ausgenommen|mit ausnahme|nicht a[mn]|bis auf|sauf|excepté|hormis|mais pas|à part|à l['’]exception|excepto|salvo|menos|pero no|a excepción|exclu[ií]d[oa]s?|exceto|mas não|com exceção)(?!\p{L})`,
    String.raw`^[(（]?(?:を?除[いくき]|以外|[은는을를]?\s*(?:빼고|제외|말고)|除(?:了|去|外|[周週星礼日]))|^[(（][^)）]*(?:除外|以外|除く|제외|빼고)`,
  ].join('|'),
  'iu',
);

/** Parts of an hour before it (`half past 10`, `halb 9`) and behind it (`9 y media`), with what they add to it in minutes. */
export const FRACTIONS = {
  before: [
    [/half past\s+/iuy, 30],
    [/(?:(?:a )?quarter past|viertel nach)\s+/iuy, 15],
    [/(?:(?:a )?quarter to|viertel vor|drei\s?viertel)\s+/iuy, -15],
    [/halb\s+/iuy, -30],
  ],
  behind: [
    [/\s*(?:et demie?|y media|e meia)(?!\p{L})/iuy, 30],
    [/\s*(?:(?:et quart|y cuarto|e (?:um )?quarto|e quinze)(?!\p{L})|一刻)/iuy, 15],
    [/\s*(?:moins (?:le )?quart|menos (?:un |um )?(?:cuarto|quarto))(?!\p{L})/iuy, -15],
    [/\s*三刻/uy, 45],
  ],
} as const;

/** The parts of a time of day, in this order. All but `hour` may be missing. */
export const TIME = {
  /** Before a time: without it, a bare number is not one (`3 jokes`). */
  at: /(?:(?:at|um(?!\s+dos(?!\p{L}))|gegen|à|a las?|às|as(?=\s+\d))\s+|@\s*)/iuy,
  /** Times that are a word. */
  noon: /\s*(?:(?:al|zum|zu)\s+)?(?:(?:noon|midday|mittags?|midi|mediod[ií]a|meio[- ]dia)(?!\p{L})|正午|정오|中午(?:\s*12\s*[点點时時]?)?)/iuy,
  midnight:
    /\s*(?:(?:midnight|mitternachts?|minuit|medianoche|meia[- ]noite)(?!\p{L})|真夜中|자정|午夜|半夜)/iuy,
  morning: /\s*(?:午前|오전|上午|早上|朝の?|아침|새벽|凌晨)\s*/uy,
  afternoon: /\s*(?:午後|오후|下午|夕方の?|저녁|傍晚)\s*/uy,
  night: /\s*(?:晚上|夜の?|밤)\s*/uy,
  hour: /\d{1,2}(?!\d)/uy,
  minute:
    /(?:[:：.h]|\s*(?:[時时](?![間间])|点|點|시(?!간)|uhr|h|heures?|horas?)\s*)(?:(\d{2})(?!\d)\s*(?:分|분)?|(\d)\s*(?:分|분))/iuy,
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
  clock: /\s*(?:(?:uhr|h|heures?|horas?|o['’]clock)(?!\p{L})|[時时](?![間间])|点|點|시(?!간))/iuy,
} as const;
