const NUMBER = String.raw`\d{1,2}`;
const CJK_NUMBER = String.raw`(?:\d{1,2}|[一二两兩三四五六七八九十]{1,3})`;

/** Alone behind the days; `every monday, biweekly report` is a request. */
const ALONE = String.raw`(?=\s*(?:[,，、;；:：.]|$|(?:at|um|à|a las|às)\s|\d))`;

/** By language. Latin ones: letters may not follow. */
const LATIN = [
  // English
  String.raw`every (?:other|${NUMBER}(?:st|nd|rd|th)?(?= )|(?:second|third|fourth|two|three|four|six|few)(?= (?:days?|weeks?|months?|hours?|minutes?|ones?|times?|\w+days?)(?!\p{L})))`,
  String.raw`(?:on |in )?(?:alternat(?:e|ing)|odd|even) (?:weeks?|months?|\w+days?)`,
  String.raw`(?:bi-?weekly|fortnightly|(?:bi-?)?monthly|quarterly|hourly)${ALONE}`,
  String.raw`(?:once|twice|(?:two|three|four|${NUMBER}) times) (?:a|per|every|each) (?:day|month|fortnight|quarter|year)`,
  String.raw`(?:on )?(?:the )?(?:(?:first|second|third|fourth|last|[1-4](?:st|nd|rd|th))(?: (?:one|week|\w+day))? )?(?:of|in) (?:the|a|each|every) month`,
  // German
  String.raw`(?:nur )?alle (?:zwei|drei|vier|sechs|acht|vierzehn|paar|${NUMBER}) (?:stunden|tage|wochen|monate)`,
  String.raw`(?:nur )?jede[nrs]? (?:zweite[nrs]?|dritte[nrs]?|vierte[nrs]?|andere[nrs]?|${NUMBER}\.)`,
  String.raw`(?:(?:zwei|drei|vier|2|3|4)-?wöchentlich|(?:14|vierzehn)-?tägig|(?:zwei-?)?monatlich|stündlich)${ALONE}`,
  String.raw`in (?:un)?geraden (?:kalender)?wochen`,
  String.raw`(?:nur )?(?:(?:de[rnms] )?(?:erste|zweite|dritte|vierte|letzte)[nrs]? )?(?:im monat|(?:des|jeden|eines) monats|pro monat)`,
  // French
  String.raw`tou(?:te)?s les (?:deux|trois|quatre|quinze|${NUMBER}) (?:heures?|jours?|semaines?|mois)`,
  String.raw`(?:(?:une (?:semaine|fois) )?sur (?:deux|trois|quatre)|une (?:semaine|fois) sur [2-4](?!\d))`,
  String.raw`(?:(?:les )?semaines (?:im)?paires|une fois (?:par|tous les) \p{L}* ?mois)`,
  String.raw`(?:(?:bi)?mensuel(?:lement)?|bimensuel|toutes les heures)${ALONE}`,
  String.raw`(?:les? )?(?:(?:premiers?|deuxièmes?|derniers?) )?(?:du|de chaque|par) mois`,
  // Spanish
  String.raw`cada (?:dos|tres|cuatro|quince|segund[oa]|tercer[oa]?|otr[oa]|${NUMBER}) (?:horas?|d[ií]as?|semanas?|mes(?:es)?|lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?)`,
  String.raw`(?:quincenal(?:mente)?|mensual(?:mente)?|cada (?:quincena|mes|hora))${ALONE}`,
  String.raw`(?:una? )?semana s[ií],? (?:y )?(?:otra|una|semana) no|(?:semanas )?altern[oa]s?|semanas (?:im)?pares`,
  String.raw`(?:el )?(?:(?:primer[oa]?|segund[oa]|[úu]ltim[oa]) )?(?:del|al|de cada|por) mes`,
  // Portuguese
  String.raw`(?:a )?cada (?:dois|duas|três|quatro|quinze|${NUMBER}) (?:horas?|dias?|semanas?|meses)`,
  String.raw`(?:quinzenal(?:mente)?|mensal(?:mente)?)${ALONE}`,
  String.raw`(?:uma )?semana sim,? (?:e )?(?:outra|semana) não|(?:semanas )?alternad[oa]s?|semanas (?:ím)?pares`,
  String.raw`(?:[oa] )?(?:(?:primeir[oa]|segund[oa]|últim[oa]) )?(?:do|no|ao|de cada|por) mês`,
];

const OTHER = [
  // Japanese. `1時間ごとの天気` is a request.
  String.raw`の?(?:隔[週月日]|${CJK_NUMBER}(?:週間?|[かカヶケ]月|時間|日)に[1一](?:回|度)|${CJK_NUMBER}(?:週間?|[かカヶケ]月)(?:ごと|毎|おき)|${CJK_NUMBER}(?:時間|日)(?:ごと|毎|おき)(?!の)|月に?[1一](?:回|度)|[毎各]月の?(?:最初|最後|第)|第[一二三四五1-5][^\s、,]{0,4}週)`,
  // Korean
  String.raw`(?:격[주월일](?:로|마다)?(?=[\s,、:]|$)|(?:${NUMBER}|[이삼사두세네])\s*(?:주일?|시간|달|개월|일)\s*(?:마다|간격|에\s*한\s*번)|(?:매[월달]|한\s*달에)\s*(?:마지막|첫|둘째|셋째|넷째|한\s*번|${NUMBER}))`,
  // Chinese
  String.raw`[(（]?(?:隔[周週天日月]|每隔|每${CJK_NUMBER}个?(?:周|週|星期|礼拜|天|小时|月)|[单双單雙][周週](?![报報会會刊])|每个?月的?(?:第|最后|最後))`,
];

/** Behind days or a time, another rhythm than every week: `mondays every other week`, `Freitags alle zwei Wochen`. It is not understood. */
export const OTHER_RHYTHM = new RegExp(
  `^[(（]?(?:(?:${LATIN.join('|')})(?!\\p{L})|(?:${OTHER.join('|')}))`,
  'iu',
);
