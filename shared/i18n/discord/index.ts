import { toLocale, type LocalizedText } from '../locale.ts';

/* Texts of Discord's front. Plain strings, because the front must start in milliseconds and cannot load a formatter. */
const TEXTS = {
  busy: {
    en: 'I could not accept that. Try again in a moment.',
    de: 'Das konnte ich gerade nicht annehmen. Versuch es gleich noch einmal.',
    fr: 'Je n’ai pas pu l’accepter. Réessayez dans un instant.',
    es: 'No he podido aceptarlo. Inténtalo de nuevo en un momento.',
    pt: 'Não consegui aceitar isso. Tente de novo daqui a pouco.',
    ja: '受け付けられませんでした。後でもう一度お試しください。',
    ko: '받을 수 없었습니다. 잠시 후 다시 시도해 주세요.',
    zh: '刚才没能接收，请稍后再试。',
  },
  unsure: {
    en: 'I do not know if that arrived. If nothing follows here within a minute, try again.',
    de: 'Ich weiß nicht, ob das angekommen ist. Kommt in einer Minute nichts, versuch es noch einmal.',
    fr: 'J’ignore si c’est arrivé. Si rien n’apparaît d’ici une minute, réessayez.',
    es: 'No sé si me ha llegado. Si no aparece nada en un minuto, inténtalo de nuevo.',
    pt: 'Não sei se isso chegou. Se nada aparecer em um minuto, tente de novo.',
    ja: '届いたか分かりません。1分以内に何も表示されなければ、もう一度お試しください。',
    ko: '전달되었는지 알 수 없습니다. 1분 안에 답이 없으면 다시 시도해 주세요.',
    zh: '不确定是否收到。如果一分钟内没有回复，请重试。',
  },
  unknown: {
    en: 'This is no longer valid. Use the command again.',
    de: 'Das gilt nicht mehr. Ruf den Befehl noch einmal auf.',
    fr: 'Ce n’est plus valable. Relancez la commande.',
    es: 'Esto ya no es válido. Usa el comando otra vez.',
    pt: 'Isto não é mais válido. Use o comando outra vez.',
    ja: 'これはもう無効です。もう一度コマンドを使ってください。',
    ko: '더 이상 유효하지 않습니다. 명령을 다시 사용해 주세요.',
    zh: '这已失效，请重新使用命令。',
  },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** Returns a text in the language of a tag; English for unsupported languages. */
export const getDiscordText = (name: keyof typeof TEXTS, tag: string): string => TEXTS[name][toLocale(tag)];
