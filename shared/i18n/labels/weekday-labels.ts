import type { LocalizedText } from '../locale.ts';

export const mondayLabel: LocalizedText = {
  en: 'Monday',
  de: 'Montag',
  fr: 'lundi',
  es: 'lunes',
  pt: 'segunda-feira',
  ja: '月曜日',
  ko: '월요일',
  zh: '星期一',
};
export const tuesdayLabel: LocalizedText = {
  en: 'Tuesday',
  de: 'Dienstag',
  fr: 'mardi',
  es: 'martes',
  pt: 'terça-feira',
  ja: '火曜日',
  ko: '화요일',
  zh: '星期二',
};
export const wednesdayLabel: LocalizedText = {
  en: 'Wednesday',
  de: 'Mittwoch',
  fr: 'mercredi',
  es: 'miércoles',
  pt: 'quarta-feira',
  ja: '水曜日',
  ko: '수요일',
  zh: '星期三',
};
export const thursdayLabel: LocalizedText = {
  en: 'Thursday',
  de: 'Donnerstag',
  fr: 'jeudi',
  es: 'jueves',
  pt: 'quinta-feira',
  ja: '木曜日',
  ko: '목요일',
  zh: '星期四',
};
export const fridayLabel: LocalizedText = {
  en: 'Friday',
  de: 'Freitag',
  fr: 'vendredi',
  es: 'viernes',
  pt: 'sexta-feira',
  ja: '金曜日',
  ko: '금요일',
  zh: '星期五',
};
export const saturdayLabel: LocalizedText = {
  en: 'Saturday',
  de: 'Samstag',
  fr: 'samedi',
  es: 'sábado',
  pt: 'sábado',
  ja: '土曜日',
  ko: '토요일',
  zh: '星期六',
};
export const sundayLabel: LocalizedText = {
  en: 'Sunday',
  de: 'Sonntag',
  fr: 'dimanche',
  es: 'domingo',
  pt: 'domingo',
  ja: '日曜日',
  ko: '일요일',
  zh: '星期日',
};

/** The days of the week, as they are typed or chosen. */
export const weekdayLabels = {
  monday: mondayLabel,
  tuesday: tuesdayLabel,
  wednesday: wednesdayLabel,
  thursday: thursdayLabel,
  friday: fridayLabel,
  saturday: saturdayLabel,
  sunday: sundayLabel,
} as const;
