import type { LocalizedText } from '../i18n/index.ts';

/** The message menu command that transcribes the recordings of a message. */
export const TRANSCRIBE_MENU_COMMAND: LocalizedText = {
  en: 'Transcribe',
  de: 'Transkribieren',
  fr: 'Transcrire',
  es: 'Transcribir',
  pt: 'Transcrever',
  ja: '文字起こし',
  ko: '받아쓰기',
  zh: '转写',
};

/** The command that sets when recordings are transcribed. */
export const VOICE_COMMAND: LocalizedText = {
  en: 'voice',
  de: 'sprachnachrichten',
  fr: 'vocaux',
  es: 'voz',
  pt: 'voz',
  ja: 'ボイスメッセージ',
  ko: '음성메시지',
  zh: '语音消息',
};

/** The option of the voice command that excludes a person's own recordings. */
export const VOICE_OPT_OUT: LocalizedText = {
  en: 'mine are sent nowhere',
  de: 'meine gehen nirgendwohin',
  fr: 'les miens ne vont nulle part',
  es: 'las mías no se envían',
  pt: 'as minhas não são enviadas',
  ja: '自分のものは送らない',
  ko: '내 것은 보내지 않음',
  zh: '我的不发送',
};
