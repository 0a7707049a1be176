import { describe, expect, test } from '@jest/globals';
import { IntlMessageFormat } from 'intl-messageformat';
import {
  formatOwnDataCommands,
  getFormTexts,
  type Locale,
  toLocale,
  LOCALES,
  localize,
  WHICH_ACTION,
} from '../../shared/i18n/index.ts';
import { FILES } from '../../shared/commands/command-list.ts';
import { TRANSCRIBE_MENU_COMMAND } from '../../shared/voice/command-names.ts';
import { TEXTS } from '../../shared/i18n/texts.ts';

type Parts = ReturnType<IntlMessageFormat['getAst']>;

/** By its number: the parser's enum cannot be imported where types are stripped. */
const isWords = ({ type }: { readonly type: number }): boolean => type === 0;

/** The names of all that is put into a text, and how: `count: plural`. */
function argumentsOf(parts: Parts): string[] {
  return parts.flatMap((part) => {
    // Of what is only words, the value is those; of all else, the name of what is put in.
    if (!('value' in part) || isWords(part)) return [];
    const nested =
      'options' in part ? Object.values(part.options).flatMap(({ value }) => argumentsOf(value)) : [];
    return [part.value, ...nested];
  });
}

const astOf = (pattern: string, locale: string): Parts =>
  new IntlMessageFormat(pattern, locale, undefined, { ignoreTag: true }).getAst();

/** What the file of a command says, as an area. */
const ofCommands = FILES.map(({ spec, messageCommand, texts }) => {
  const inLanguage = (locale: Locale) =>
    Object.fromEntries(Object.entries(texts).map(([name, translations]) => [name, translations[locale]]));
  const byLocale = Object.fromEntries(LOCALES.map((locale) => [locale, inLanguage(locale)]));
  return [`command ${spec?.name ?? messageCommand?.name}`, byLocale] as const;
});
const areas: (readonly [string, Readonly<Record<string, Readonly<Record<string, string>>>>])[] = [
  ...Object.entries(TEXTS),
  ...ofCommands,
];

describe.each(areas)('%s', (_, byLocale) => {
  const english: Readonly<Record<string, string>> = byLocale['en'] ?? {};

  test.each(LOCALES)('in %s has every text, and no other', (locale) => {
    expect(Object.keys(byLocale[locale] ?? {}).toSorted()).toEqual(Object.keys(english).toSorted());
  });

  test.each(LOCALES)('in %s says every text with what the English one says it with', (locale) => {
    const texts = byLocale[locale] ?? {};
    for (const [key, text] of Object.entries(texts)) {
      const expectedArguments = new Set(argumentsOf(astOf(english[key] ?? '', 'en')));
      const names = new Set(argumentsOf(astOf(text, locale)));
      expect([key, names]).toEqual([key, expectedArguments]);
      const args = Object.fromEntries([...expectedArguments].map((name) => [name, 2]));
      expect(new IntlMessageFormat(text, locale, undefined, { ignoreTag: true }).format(args)).not.toBe('');
    }
  });

  test.each(LOCALES)('in %s tells plurals as that language does', (locale) => {
    const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
    const plural = (parts: Parts): void => {
      for (const part of parts) {
        if (!('options' in part) || !('pluralType' in part)) continue;
        const pluralForms = Object.keys(part.options).filter((name) => !name.startsWith('='));
        expect(new Set(pluralForms)).toEqual(new Set(categories));
      }
    };
    for (const text of Object.values(byLocale[locale] ?? {})) plural(astOf(text, locale));
  });
});

test('a text is filled in, and one that lacks something is not said', () => {
  expect(localize('en', 'commands.help.unknown', { word: '<b>' })).toBe('There is no command “<b>”.');
  expect(localize('de', 'commands.help.unknown', { word: 'x' })).toBe('Den Befehl „x“ gibt es nicht.');
  expect(() => localize('en', 'commands.help.unknown')).toThrow(/word/u);
});

test.each([
  ['de-DE', 'de'],
  ['pt_BR', 'pt'],
  ['ZH-TW', 'zh'],
  ['es-419', 'es'],
  ['nl', 'en'],
  ['', 'en'],
  [undefined, 'en'],
])('the language for %j is %s', (tag, locale) => {
  expect(toLocale(tag)).toBe(locale);
});

/** Words that only Portugal uses; both platforms offer Portuguese as that of Brazil only. */
const EUROPEAN =
  /ficheiro|(?<!\p{L})est(?:á|ão) a \p{L}+r(?!\p{L})|para si(?!\p{L})|aceder|utilizador|registo|demasiad|ecrã|inici(?:e|ar|ou) sessão|(?<!com)partilh|«/iu;

const textsIn = (locale: Locale) => areas.flatMap(([, byLocale]) => Object.values(byLocale[locale] ?? {}));

test('Portuguese is that of Brazil', () => {
  expect(textsIn('pt').filter((text) => EUROPEAN.test(text))).toEqual([]);
});

test('French has no-break spaces before its punctuation and inside its quotes', () => {
  const french = [
    ...textsIn('fr'),
    WHICH_ACTION.fr,
    getFormTexts('fr')('question'),
    getFormTexts('fr')('message'),
  ];
  expect(french.filter((text) => / [:;!?»%]|« |\d \d{3}/u.test(text))).toEqual([]);
});

/** Half-width punctuation after a letter of Chinese or Japanese. A colon between two words is one that people type. */
const HALF_WIDTH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}](?:[,:;!?](?!\p{L})|[()])/u;

test.each(['ja', 'zh'] as const)('in %s punctuation has full width', (locale) => {
  const texts = textsIn(locale).map((text) => text.replaceAll(/\]\([^)]*\)|`[^`]*`/gu, ''));
  expect(texts.filter((text) => HALF_WIDTH.test(text))).toEqual([]);
});

test.each(LOCALES)('in %s the form of a token bias has the colon that its parser reads', (locale) => {
  expect(localize(locale, 'choices.name.tokenBias')).toMatch(/[(（]\p{L}+:\p{L}+[)）]/u);
});

test.each(LOCALES)('in %s the commands for a person’s own data have their names', (locale) => {
  const nameOf = (command: string, key: string) =>
    FILES.find(({ spec }) => spec?.name === command)?.texts[key]?.[locale];
  expect(formatOwnDataCommands({ platform: 'slack', locale })).toEqual({
    export: 'export',
    forget: 'forget me',
  });
  expect(formatOwnDataCommands({ platform: 'discord', locale })).toEqual({
    export: `/${nameOf('export', 'name')}`,
    forget: `/${nameOf('forget', 'name')} ${nameOf('forget', 'what.name')}:${nameOf('forget', 'what=me')}`,
  });
});

test.each(['ja', 'ko', 'zh'] as const)('in %s a text names the menu’s command as the menu does', (locale) => {
  expect(localize(locale, 'files.notice.not-heard', { name: 'a.ogg' })).toContain(
    TRANSCRIBE_MENU_COMMAND[locale],
  );
});

/** CommonMark, 6.2: after punctuation, `**` closes only before a space or other punctuation. Chinese and Japanese have no space. */
const UNCLOSED_BOLD = /\p{P}\*\*[^\s\p{P}]/u;

test.each(LOCALES)('in %s bold words end where Markdown lets them', (locale) => {
  expect(textsIn(locale).filter((text) => UNCLOSED_BOLD.test(text))).toEqual([]);
});

/** Words for something that has another one in the other texts of that language, and words that only engineers use. */
const OTHER_WORDS = {
  en: /\bdeployment\b/iu,
  // Slack's own word in German is Workspace.
  de: /Arbeitsbereich|Werkzeug|[Vv]erschrift|Knopf|Administrator|Planung|aufbewahr|\b[Ww]er diesen|\b(?:Sie|Ihre) \p{L}+en\b(?= (?:bitte|hier|dort))|\p{L} …/u,
  fr: /jeton|\p{L}'\p{L}|(?<!\p{L})(?:tu|toi|ton|tes|admins?|appli|app)(?!\p{L})|espace(?! de travail|s)|exploitant|message privé|redemandez(?! la transcription)|déploiement/iu,
  // The name of a thread in Slack is conversa, that of a workspace workspace.
  pt: /espaço de trabalho|(?:n?este|d?este) espaço|\badmins?\b|guard(?:ad[ao]|o)(?!\p{L})|[Qq]uem (?:administra|opera|mantém)|recetor|à espera/u,
  // The operator of the bot is 運用担当者, never 管理者, who are admins of the workspace.
  ja: /ボットの管理者|音声メッセージ|文字に(?:起こ|する)|運用者|運営者|書き起こ|に無効|: ?$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]: /u,
  es: /\bdespliegue\b|\bespacio\b(?! de trabajo| que)|\b[Qq]uien (?:administra|opera) (?:este|el) bot|(?<![Aa] )\bpetici(?:ón|ones)\b|\bapp\b|\b(?:Añada|Copie|Cópiela|Ejecute|Configúrelo|usted)\b/u,
  ko: /당신|명령(?!어)|직접 메시지|요금제|배포|(?:^|[ {])내 예산|이미지으로|그림|작업 공간|접근 키|‘|’/u,
  // The name of a thread in Slack is 消息列.
  zh: /话题|画布|部署|会话|转(?:成)?文字|管理者|令牌|人设|您|本频道|本工作区/u,
} as const;

test.each(LOCALES)('in %s one thing has one word', (locale) => {
  const wrong = areas.flatMap(([area, byLocale]) =>
    Object.entries(byLocale[locale] ?? {}).flatMap(([key, text]) =>
      OTHER_WORDS[locale].test(text) ? [`${area} ${key}: ${text}`] : [],
    ),
  );
  expect(wrong).toEqual([]);
});
