import type { LocalizedText } from '../locale.ts';

/*
 * One constant per text, so that a front that does not use one does not bundle it. Here because Slack's front shows them in
 * a modal.
 */

export const EXPORT_THREAD = {
  en: 'Export thread',
  de: 'Thread exportieren',
  fr: 'Exporter le fil',
  es: 'Exportar el hilo',
  pt: 'Exportar a conversa',
  ja: 'スレッドをエクスポート',
  ko: '스레드 내보내기',
  zh: '导出消息列',
} as const satisfies LocalizedText;

export const EDIT_PICTURE = {
  en: 'Edit this picture',
  de: 'Bild bearbeiten',
  fr: 'Modifier cette image',
  es: 'Editar esta imagen',
  pt: 'Editar esta imagem',
  ja: 'この画像を編集',
  ko: '이 이미지 편집',
  zh: '编辑这张图片',
} as const satisfies LocalizedText;

export const FORGET_THIS = {
  en: 'Forget this',
  de: 'Das vergessen',
  fr: 'Oublier ceci',
  es: 'Olvidar esto',
  pt: 'Esquecer isto',
  ja: 'これを忘れる',
  ko: '이것 잊기',
  zh: '忘记这条',
} as const satisfies LocalizedText;

export const THREAD_SETTINGS = {
  en: 'Thread settings',
  de: 'Thread-Einstellungen',
  fr: 'Réglages du fil',
  es: 'Ajustes del hilo',
  pt: 'Configurações da conversa',
  ja: 'スレッドの設定',
  ko: '스레드 설정',
  zh: '消息列设置',
} as const satisfies LocalizedText;

export const WHY_THIS_ANSWER = {
  en: 'Why this answer',
  de: 'Warum diese Antwort',
  fr: 'Pourquoi cette réponse',
  es: 'Por qué esta respuesta',
  pt: 'Por que esta resposta',
  ja: 'この回答の理由',
  ko: '이 답변의 이유',
  zh: '为什么这样回答',
} as const satisfies LocalizedText;

export const TRANSLATE_RECORDING = {
  en: 'Translate recording',
  de: 'Aufnahme übersetzen',
  fr: 'Traduire l’enregistrement',
  es: 'Traducir la grabación',
  pt: 'Traduzir a gravação',
  ja: '録音を翻訳',
  ko: '녹음 번역',
  zh: '翻译录音',
} as const satisfies LocalizedText;

export const SPEAK_TRANSLATION = {
  en: 'Speak translation',
  de: 'Übersetzung vorlesen',
  fr: 'Lire la traduction',
  es: 'Leer la traducción',
  pt: 'Ler a tradução',
  ja: '翻訳を読み上げる',
  ko: '번역 읽어 주기',
  zh: '朗读译文',
} as const satisfies LocalizedText;

/** The options of _More actions_ by command name. Slack's message menu has room for only five shortcuts. */
export const CATCH_UP = {
  en: 'Catch up from here',
  de: 'Ab hier nachholen',
  fr: 'Rattraper depuis ici',
  es: 'Al día desde aquí',
  pt: 'Resumir a partir daqui',
  ja: 'ここから要約',
  ko: '여기부터 요약',
  zh: '从这里补看',
} as const satisfies LocalizedText;

export const ADD_TO_KNOWLEDGE = {
  en: 'Add to knowledge',
  de: 'Zum Wissen hinzufügen',
  fr: 'Ajouter aux connaissances',
  es: 'Añadir al conocimiento',
  pt: 'Adicionar ao conhecimento',
  ja: 'ナレッジに追加',
  ko: '지식에 추가',
  zh: '添加到知识',
} as const satisfies LocalizedText;

export const MORE_ACTIONS = {
  catchup: CATCH_UP,
  'edit-form': EDIT_PICTURE,
  export: EXPORT_THREAD,
  forget: FORGET_THIS,
  knowledge: ADD_TO_KNOWLEDGE,
  settings: THREAD_SETTINGS,
  speak: SPEAK_TRANSLATION,
  translate: TRANSLATE_RECORDING,
  why: WHY_THIS_ANSWER,
} as const satisfies Readonly<Record<string, LocalizedText>>;

export const MORE_ACTIONS_TITLE = {
  en: 'More actions',
  de: 'Weitere Aktionen',
  fr: 'Plus d’actions',
  es: 'Más acciones',
  pt: 'Mais ações',
  ja: 'その他の操作',
  ko: '더 많은 작업',
  zh: '更多操作',
} as const satisfies LocalizedText;

/** The label above the options. */
export const WHICH_ACTION = {
  en: 'What shall I do with this message?',
  de: 'Was soll ich mit dieser Nachricht tun?',
  fr: 'Que dois-je faire de ce message ?',
  es: '¿Qué hago con este mensaje?',
  pt: 'O que devo fazer com esta mensagem?',
  ja: 'このメッセージをどうしますか？',
  ko: '이 메시지로 무엇을 할까요?',
  zh: '要对这条消息做什么？',
} as const satisfies LocalizedText;

/** The submit button. */
export const GO_ON = {
  en: 'Go on',
  de: 'Weiter',
  fr: 'Continuer',
  es: 'Continuar',
  pt: 'Continuar',
  ja: '次へ',
  ko: '계속',
  zh: '继续',
} as const satisfies LocalizedText;
