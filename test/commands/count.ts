import { localize } from '../../shared/i18n/index.ts';
import type { CommandRequest, CommandHandler } from '../../shared/commands/framework/types.ts';
import { replyCard, textCard } from '../../shared/commands/framework/types.ts';
import type { CommandSpec, TextsOf } from '../../shared/commands/framework/command-spec.ts';

export const spec = {
  name: 'count',
  options: [{ name: 'text', kind: 'text', max: 6_000, required: true, rest: true }],
} as const satisfies CommandSpec;

/** Replies with the length of a text. */
export const run: CommandHandler<CommandRequest> = (request, context) => {
  const count = String(request.options['text']).length;
  return replyCard(request, textCard(localize(request.locale, texts.counted, { count })), context);
};

export const texts = {
  name: {
    en: 'count',
    de: 'zählen',
    fr: 'compter',
    es: 'contar',
    pt: 'contar',
    ja: '文字数',
    ko: '글자수',
    zh: '字数',
  },
  about: {
    en: 'How long a text is',
    de: 'Wie lang ein Text ist',
    fr: 'La longueur d’un texte',
    es: 'Cuánto mide un texto',
    pt: 'O tamanho de um texto',
    ja: 'テキストの長さ',
    ko: '글의 길이',
    zh: '一段文字有多长',
  },
  'text.name': {
    en: 'text',
    de: 'text',
    fr: 'texte',
    es: 'texto',
    pt: 'texto',
    ja: '本文',
    ko: '내용',
    zh: '内容',
  },
  'text.about': {
    en: 'The text',
    de: 'Der Text',
    fr: 'Le texte',
    es: 'El texto',
    pt: 'O texto',
    ja: 'テキスト',
    ko: '글',
    zh: '文字',
  },
  counted: {
    en: '{count, plural, one {# character} other {# characters}}',
    de: '{count, plural, one {# Zeichen} other {# Zeichen}}',
    fr: '{count, plural, one {# caractère} many {# caractères} other {# caractères}}',
    es: '{count, plural, one {# carácter} many {# caracteres} other {# caracteres}}',
    pt: '{count, plural, one {# caractere} many {# caracteres} other {# caracteres}}',
    ja: '{count, plural, other {# 文字}}',
    ko: '{count, plural, other {#자}}',
    zh: '{count, plural, other {# 个字}}',
  },
} satisfies TextsOf<typeof spec>;
