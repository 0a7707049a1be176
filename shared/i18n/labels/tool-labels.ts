import type { LocalizedText } from '../locale.ts';

// Labels of the commands for tools and documents. One constant each, so that unused ones are removed from the fronts' bundles.

export const turnOnLabel: LocalizedText = {
  en: 'Turn on',
  de: 'Einschalten',
  fr: 'Activer',
  es: 'Activar',
  pt: 'Ativar',
  ja: 'オンにする',
  ko: '켜기',
  zh: '启用',
};
export const signInLabel: LocalizedText = {
  en: 'Sign in',
  de: 'Anmelden',
  fr: 'Se connecter',
  es: 'Iniciar sesión',
  pt: 'Fazer login',
  ja: 'サインイン',
  ko: '로그인',
  zh: '登录',
};
export const confirmSignInLabel: LocalizedText = {
  en: 'Confirm a sign-in',
  de: 'Anmeldung bestätigen',
  fr: 'Confirmer la connexion',
  es: 'Confirmar la sesión',
  pt: 'Confirmar o login',
  ja: 'サインインを確認',
  ko: '로그인 확인',
  zh: '确认登录',
};
/** What a command of tools is about. Not the usual label: in Japanese, Korean and Chinese that is also the one of “for”. */
export const serverLabel: LocalizedText = {
  en: 'what',
  de: 'was',
  fr: 'quoi',
  es: 'qué',
  pt: 'o-quê',
  ja: 'サーバー',
  ko: '서버',
  zh: '服务器',
};
/** What is added to or removed from a collection of documents. */
export const documentLabel: LocalizedText = {
  en: 'what',
  de: 'was',
  fr: 'quoi',
  es: 'qué',
  pt: 'o-quê',
  ja: '文書',
  ko: '문서',
  zh: '文档',
};
/** The option that says what an MCP server needs. */
export const withLabel: LocalizedText = {
  en: 'with',
  de: 'mit',
  fr: 'avec',
  es: 'con',
  pt: 'com',
  ja: '詳細',
  ko: '세부',
  zh: '附加',
};
