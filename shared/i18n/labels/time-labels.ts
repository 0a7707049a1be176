import type { LocalizedText } from '../locale.ts';

export const timeLabel: LocalizedText = {
  en: 'at',
  de: 'um',
  fr: 'heure',
  es: 'hora',
  pt: 'hora',
  ja: '時刻',
  ko: '시각',
  zh: '时间',
};

export const timeAbout: LocalizedText = {
  en: 'The time of day, such as 9:00',
  de: 'Die Uhrzeit, etwa 9:00',
  fr: 'L’heure, par exemple 9:00',
  es: 'La hora, por ejemplo 9:00',
  pt: 'A hora, por exemplo 9:00',
  ja: '時刻（例：9:00）',
  ko: '시각(예: 9:00)',
  zh: '时间，例如 9:00',
};

export const zoneLabel: LocalizedText = {
  en: 'zone',
  de: 'zeitzone',
  fr: 'fuseau',
  es: 'zona',
  pt: 'fuso',
  ja: 'タイムゾーン',
  ko: '시간대',
  zh: '时区',
};

export const zoneAbout: LocalizedText = {
  en: 'The time zone, such as Europe/Berlin',
  de: 'Die Zeitzone, etwa Europe/Berlin',
  fr: 'Le fuseau horaire, par exemple Europe/Berlin',
  es: 'La zona horaria, por ejemplo Europe/Berlin',
  pt: 'O fuso horário, por exemplo Europe/Berlin',
  ja: 'タイムゾーン（例：Europe/Berlin）',
  ko: '시간대(예: Europe/Berlin)',
  zh: '时区，例如 Europe/Berlin',
};

/** The name of the command that schedules prompts. */
export const scheduleLabel: LocalizedText = {
  en: 'schedule',
  de: 'planen',
  fr: 'planifier',
  es: 'programar',
  pt: 'agendar',
  ja: '予約',
  ko: '예약',
  zh: '安排',
};
