import { DEFAULT_VALUES, resolve } from '../../settings/rules/index.ts';
import { VOICE_COMMAND, VOICE_OPT_OUT } from '../../voice/index.ts';
import {
  LANGUAGE_CHOICES,
  type Locale,
  localize,
  findLanguageCode,
  getLanguageName,
  formatChoice,
  formatCommand,
  getCommandFormat,
  actionLabel,
} from '../../i18n/index.ts';
import type { Card, CardControl } from '../../domain/index.ts';
import { RECORDING_ACTIONS, runOnLatestRecording } from './recording-actions.ts';
import { changeSetting } from './parts/change-setting.ts';
import { findAbsence } from '../framework/cannot-post-card.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type CommandRequest,
  type CommandHandler,
  type OwnDataAccess,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export { onAction } from './recordings/voice-card.ts';

export const spec = {
  name: 'voice',
  options: [
    {
      name: 'do',
      kind: 'text',
      choices: ['transcribe', 'translate', 'speak', 'on', 'auto', 'off', 'optout', 'optin', 'language'],
    },
    { name: 'language', kind: 'text', max: 35 },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  // A literal list: a spread would stay in the bundles of the fronts.
  language: { onlyWith: { do: ['transcribe', 'translate', 'speak', 'language'] } },
};

export const ownData: OwnDataAccess = { command: (options) => options['do'] === 'optout', actions: [] };

export const helpOrder = 4;

const POLICIES = { on: 'request', auto: 'automatic', off: 'off' } as const;
type Policy = (typeof POLICIES)[keyof typeof POLICIES];

/**
 * Transcribes, translates or speaks the latest recording; shows or changes when recordings are transcribed in a channel, and
 * the person's own voice settings.
 */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { locale, options, interaction } = request;
  const language = options['language'] === undefined ? undefined : String(options['language']);
  const action = String(options['do'] ?? (language === undefined ? '' : 'language'));
  const recordingAction = RECORDING_ACTIONS.find((one) => one === action);
  if (recordingAction) return runOnLatestRecording(request, { action: recordingAction, language }, context);
  const set = (level: 'channel' | 'person', setting: string, value: unknown) =>
    changeSetting(request, context, { kind: 'value', level, setting, value });
  switch (action) {
    case 'on':
    case 'auto':
    case 'off': {
      const policy = POLICIES[action];
      const refusal = findPolicyRefusal(policy, request) ?? (await set('channel', 'voice', policy));
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
      const code = findLanguageCode(language ?? 'auto');
      const refusal = await set('person', 'voiceLanguage', code);
      const name = code === 'auto' ? code : getLanguageName(locale, code);
      return replyCard(
        request,
        refusal ?? textCard(localize(locale, 'voice.language-set', { language: name })),
        context,
      );
    }
    default: {
      const policy: Policy = resolve('voice', context.settings.layers).value ?? DEFAULT_VALUES.voice;
      return replyCard(request, createPolicyCard(policy, locale), context);
    }
  }
};

/** Where the bot is not a member, it gets no recordings that it could transcribe as they come. */
const findPolicyRefusal = (policy: Policy, request: CommandRequest): Card | undefined =>
  policy === 'automatic' && request.interaction.botAbsent ? findAbsence(request) : undefined;

/** Builds the card with the current policy and, unless it is `off`, controls for the latest recording. */
function createPolicyCard(policy: Policy, locale: Locale): Card {
  const sentence = textCard(localize(locale, `voice.policy.${policy}`));
  if (policy === 'off') return sentence;
  const buttons = RECORDING_ACTIONS.map((action): CardControl => ({
    kind: 'button',
    label: localize(locale, `voice.last.${action}`),
    action: { name: 'voice.last', args: [action] },
  }));
  const translate: CardControl = {
    kind: 'choice',
    label: localize(locale, 'voice.last.transcribe-to'),
    action: { name: 'voice.last', args: ['transcribe'] },
    options: LANGUAGE_CHOICES.map((value) => ({ label: getLanguageName(locale, value), value })),
  };
  return { parts: [...sentence.parts, { kind: 'controls', controls: [...buttons, translate] }] };
}

export const texts = {
  name: VOICE_COMMAND,
  about: {
    en: 'Transcribe, translate or speak the latest recording, or set when that happens here',
    de: 'Die letzte Aufnahme transkribieren, übersetzen, vorlesen, oder einstellen, wann das geschieht',
    fr: 'Transcrire, traduire ou lire le dernier enregistrement, ou régler quand cela se fait ici',
    es: 'Transcribir, traducir o leer en voz alta la última grabación, o fijar cuándo se hace aquí',
    pt: 'Transcrever, traduzir ou ler a última gravação, ou definir quando isso ocorre aqui',
    ja: '最新の録音の文字起こし、翻訳、読み上げ、またはここでいつ行うかの設定',
    ko: '최근 녹음을 받아쓰기, 번역, 소리로 듣기. 또는 언제 받아쓸지 설정',
    zh: '转写、翻译或朗读最近一段录音，或设置这里何时转写',
  },
  'do.name': actionLabel,
  'do.about': {
    en: 'What to do; if empty, shows the current setting',
    de: 'Was zu tun ist; ohne Angabe: die aktuelle Einstellung',
    fr: 'Que faire ; si vide, montre le réglage actuel',
    es: 'Qué hacer; si está vacío, el ajuste actual',
    pt: 'O que fazer; se vazio, mostra a configuração atual',
    ja: '行う操作。省略すると現在の設定を表示',
    ko: '할 작업. 생략하면 현재 설정',
    zh: '要做什么；留空则显示当前设置',
  },
  'do=transcribe': {
    en: 'transcribe the latest recording',
    de: 'die letzte Aufnahme transkribieren',
    fr: 'transcrire le dernier enregistrement',
    es: 'transcribir la última grabación',
    pt: 'transcrever a última gravação',
    ja: '最新の録音を文字起こしする',
    ko: '최근 녹음 받아쓰기',
    zh: '转写最近一段录音',
  },
  'do=translate': {
    en: 'translate the latest recording for me',
    de: 'die letzte Aufnahme für mich übersetzen',
    fr: 'traduire le dernier enregistrement pour moi',
    es: 'traducir la última grabación para mí',
    pt: 'traduzir a última gravação para mim',
    ja: '最新の録音を自分用に翻訳する',
    ko: '최근 녹음을 내 언어로 번역하기',
    zh: '为我翻译最近一段录音',
  },
  'do=speak': {
    en: 'post a spoken translation of the latest recording',
    de: 'eine Übersetzung der letzten Aufnahme vorlesen',
    fr: 'publier une traduction audio du dernier enregistrement',
    es: 'publicar una traducción hablada de la última grabación',
    pt: 'publicar uma tradução falada da última gravação',
    ja: '最新の録音の翻訳を音声で投稿する',
    ko: '최근 녹음의 번역을 음성으로 올리기',
    zh: '以语音发布最近一段录音的翻译',
  },
  'do=on': {
    en: 'when someone asks',
    de: 'auf Anfrage',
    fr: 'à la demande',
    es: 'cuando alguien lo pide',
    pt: 'quando alguém pede',
    ja: '頼まれたとき',
    ko: '요청할 때',
    zh: '有人要求时',
  },
  'do=auto': {
    en: 'as they come',
    de: 'automatisch',
    fr: 'automatiquement',
    es: 'según llegan',
    pt: 'automaticamente',
    ja: '自動で',
    ko: '자동으로',
    zh: '收到后自动转写',
  },
  'do=off': {
    en: 'not at all',
    de: 'gar nicht',
    fr: 'jamais',
    es: 'nunca',
    pt: 'nunca',
    ja: 'しない',
    ko: '하지 않음',
    zh: '不转写',
  },
  'do=optout': VOICE_OPT_OUT,
  'do=optin': {
    en: 'mine may be transcribed',
    de: 'meine dürfen transkribiert werden',
    fr: 'les miens peuvent être transcrits',
    es: 'las mías pueden transcribirse',
    pt: 'as minhas podem ser transcritas',
    ja: '自分の録音も文字起こししてよい',
    ko: '내 녹음도 받아써도 됨',
    zh: '我的可以转写',
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
    en: 'The language to translate into or to read in, such as fr; auto is your own',
    de: 'Die Sprache der Übersetzung oder zum Lesen, etwa fr; auto ist deine eigene',
    fr: 'La langue de traduction ou de lecture, p. ex. fr ; auto : la vôtre',
    es: 'El idioma de traducción o de lectura, p. ej. fr; auto es el tuyo',
    pt: 'O idioma da tradução ou da leitura, p. ex. fr; auto é o seu',
    ja: '翻訳先または読む言語（例：fr）。auto は自分の言語',
    ko: '번역하거나 읽을 언어 (예: fr). auto는 본인의 언어',
    zh: '翻译成或阅读用的语言，例如 fr；auto 为你的语言',
  },
} satisfies TextsOf<typeof spec>;
