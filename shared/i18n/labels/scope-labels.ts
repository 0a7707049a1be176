import type { LocalizedText } from '../locale.ts';

/** The option for the scope of a setting. */
export const SCOPE_OPTION = {
  name: 'for',
  kind: 'text',
  choices: ['me', 'thread', 'channel', 'workspace'],
} as const satisfies { name: string; kind: 'text'; choices: readonly string[] };

export const scopeDescription: LocalizedText = {
  en: 'For whom',
  de: 'Für wen',
  fr: 'Pour qui',
  es: 'Para quién',
  pt: 'Para quem',
  ja: '対象',
  ko: '대상',
  zh: '范围',
};
export const meLabel: LocalizedText = {
  en: 'me',
  de: 'mich',
  fr: 'moi',
  es: 'mí',
  pt: 'mim',
  ja: '自分',
  ko: '나',
  zh: '我',
};
export const threadLabel: LocalizedText = {
  en: 'this thread',
  de: 'diesen Thread',
  fr: 'ce fil',
  es: 'este hilo',
  pt: 'esta conversa',
  ja: 'このスレッド',
  ko: '이 스레드',
  zh: '此消息列',
};
export const channelLabel: LocalizedText = {
  en: 'this channel',
  de: 'diesen Kanal',
  fr: 'ce canal',
  es: 'este canal',
  pt: 'este canal',
  ja: 'このチャンネル',
  ko: '이 채널',
  zh: '此频道',
};
/** The scope `workspace`, which Discord calls a server. */
export const workspaceLabel: LocalizedText = {
  en: 'everybody',
  de: 'alle',
  fr: 'tout le monde',
  es: 'todos',
  pt: 'todos',
  ja: '全員',
  ko: '전체',
  zh: '所有人',
};
export const hereLabel: LocalizedText = {
  en: 'here',
  de: 'hier',
  fr: 'ici',
  es: 'aquí',
  pt: 'aqui',
  ja: 'ここ',
  ko: '여기',
  zh: '此处',
};
/** The command for the budgets of people, channels and the workspace. */
export const quotaLabel: LocalizedText = {
  en: 'quota',
  de: 'budget',
  fr: 'budget',
  es: 'presupuesto',
  pt: 'orçamento',
  ja: '予算',
  ko: '예산',
  zh: '预算',
};
