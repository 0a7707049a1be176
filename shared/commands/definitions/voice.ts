import { DEFAULT_VALUES, resolve } from '../../settings/rules/index.ts';
import { VOICE_COMMAND, VOICE_OPT_OUT } from '../../voice/index.ts';
import {
  localize,
  findLanguageCode,
  getLanguageName,
  formatChoice,
  formatCommand,
  getCommandFormat,
  actionLabel,
} from '../../i18n/index.ts';
import { changeSetting } from './parts/change-setting.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import { type CommandRequest, type CommandHandler, replyCard, textCard } from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export { onAction } from './voice-card.ts';

export const spec = {
  name: 'voice',
  options: [
    {
      name: 'do',
      kind: 'text',
      choices: ['on', 'auto', 'off', 'optout', 'optin', 'language'],
    },
    { name: 'language', kind: 'text', max: 35 },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = { language: { onlyWith: { do: ['language'] } } };

export const helpOrder = 4;

const POLICIES = { on: 'request', auto: 'automatic', off: 'off' } as const;
type Policy = (typeof POLICIES)[keyof typeof POLICIES];

/** Shows or changes when recordings are transcribed in a channel, and the person's own voice settings. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { locale, options, interaction } = request;
  const action = String(options['do'] ?? (options['language'] === undefined ? '' : 'language'));
  const set = (level: 'channel' | 'person', setting: string, value: unknown) =>
    changeSetting(request, context, { kind: 'value', level, setting, value });
  switch (action) {
    case 'on':
    case 'auto':
    case 'off': {
      const policy = POLICIES[action];
      const refusal = await set('channel', 'voice', policy);
      return replyCard(request, refusal ?? textCard(localize(locale, `voice.policy.${policy}`)), context);
    }
    case 'optout':
    case 'optin': {
      const refusal = await set('person', 'voiceOptOut', action === 'optout');
      const where = getCommandFormat(interaction);
      const optin = formatChoice(texts['do.name'], 'optin', where, texts['do=optin']);
      const command = formatCommand(texts.name, where, context.settings, optin);
      const optedOut = action === 'optout' ? localize(locale, 'voice.opted-out', { command }) : undefined;
      return replyCard(request, refusal ?? textCard(optedOut ?? localize(locale, 'voice.opted-in')), context);
    }
    case 'language': {
      const language = findLanguageCode(String(options['language'] ?? 'auto'));
      const refusal = await set('person', 'voiceLanguage', language);
      const name = language === 'auto' ? language : getLanguageName(locale, language);
      return replyCard(
        request,
        refusal ?? textCard(localize(locale, 'voice.language-set', { language: name })),
        context,
      );
    }
    default: {
      const policy: Policy = resolve('voice', context.settings.layers).value ?? DEFAULT_VALUES.voice;
      return replyCard(request, textCard(localize(locale, `voice.policy.${policy}`)), context);
    }
  }
};

export const texts = {
  name: VOICE_COMMAND,
  about: {
    en: 'When voice messages are transcribed here, and your language for transcripts',
    de: 'Wann Sprachnachrichten hier verschriftet werden und in welcher Sprache du sie liest',
    fr: 'Quand les messages vocaux sont transcrits ici, et dans quelle langue vous les lisez',
    es: 'Cuándo se transcriben aquí los mensajes de voz y en qué idioma los lees',
    pt: 'Quando as mensagens de voz são transcritas aqui e em que idioma você as lê',
    ja: 'ボイスメッセージをここでいつ文字にするか、どの言語で読むか',
    ko: '음성 메시지를 여기서 언제 글로 옮길지, 어떤 언어로 읽을지',
    zh: '这里何时将语音消息转成文字，以及你用哪种语言阅读',
  },
  'do.name': actionLabel,
  'do.about': {
    en: 'What to change; nothing tells how things stand',
    de: 'Was sich ändern soll; ohne Angabe: wie es gerade ist',
    fr: 'Ce qu’il faut changer ; sans rien : l’état actuel',
    es: 'Qué cambiar; sin nada, cómo está ahora',
    pt: 'O que mudar; sem nada, como está agora',
    ja: '変更する内容。省略すると現在の設定',
    ko: '바꿀 내용. 생략하면 현재 설정',
    zh: '要更改什么；留空则显示当前设置',
  },
  'do=on': {
    en: 'when someone asks',
    de: 'wenn jemand darum bittet',
    fr: 'à la demande',
    es: 'cuando alguien lo pide',
    pt: 'quando alguém pede',
    ja: '求められたとき',
    ko: '요청할 때',
    zh: '有人要求时',
  },
  'do=auto': {
    en: 'as they come',
    de: 'sobald sie kommen',
    fr: 'dès leur arrivée',
    es: 'según llegan',
    pt: 'assim que chegam',
    ja: '届きしだい',
    ko: '오는 대로',
    zh: '一收到就转',
  },
  'do=off': {
    en: 'not at all',
    de: 'gar nicht',
    fr: 'jamais',
    es: 'nunca',
    pt: 'nunca',
    ja: 'しない',
    ko: '하지 않음',
    zh: '不转',
  },
  'do=optout': VOICE_OPT_OUT,
  'do=optin': {
    en: 'mine may be transcribed',
    de: 'meine dürfen verschriftet werden',
    fr: 'les miens peuvent être transcrits',
    es: 'los míos pueden transcribirse',
    pt: 'os meus podem ser transcritos',
    ja: '自分のものも文字にしてよい',
    ko: '내 것도 글로 옮겨도 됨',
    zh: '我的可以转',
  },
  'do=language': {
    en: 'the language I read in',
    de: 'die Sprache, in der ich lese',
    fr: 'la langue dans laquelle je lis',
    es: 'el idioma en el que leo',
    pt: 'o idioma em que leio',
    ja: '読む言語',
    ko: '읽을 언어',
    zh: '我阅读的语言',
  },
  'language.name': {
    en: 'language',
    de: 'sprache',
    fr: 'langue',
    es: 'idioma',
    pt: 'idioma',
    ja: '言語',
    ko: '언어',
    zh: '语言',
  },
  'language.about': {
    en: 'Which language you read recordings in, such as fr; auto is that of your app',
    de: 'In welcher Sprache du Aufnahmen liest, etwa fr; auto ist die deiner App',
    fr: 'Votre langue de lecture, p. ex. fr ; auto : celle de l’app',
    es: 'En qué idioma lees, p. ej. fr; auto es el de tu aplicación',
    pt: 'O idioma em que você lê, p. ex. fr; auto é o do aplicativo',
    ja: '読む言語 (例: fr)。auto はアプリの言語',
    ko: '읽을 언어 (예: fr). auto는 앱의 언어',
    zh: '你阅读的语言，例如 fr；auto 为应用的语言',
  },
} satisfies TextsOf<typeof spec>;
