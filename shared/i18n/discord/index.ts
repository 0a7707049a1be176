import { localeOf, type LocalizedText } from '../locale.ts';

/* What Discord's front says by itself. Plain sentences: a front that starts in milliseconds has no room for a formatter. */
const TEXTS = {
  busy: {
    en: 'I could not take that in just now. Try again in a moment.',
    de: 'Das konnte ich gerade nicht annehmen. Versuch es gleich noch einmal.',
    fr: 'Je n’ai pas pu prendre cela en compte. Réessayez dans un instant.',
    es: 'No he podido aceptarlo ahora mismo. Inténtalo de nuevo en un momento.',
    pt: 'Não consegui aceitar isso agora. Tente de novo daqui a pouco.',
    ja: '今は受け付けられませんでした。少し待ってからもう一度お試しください。',
    ko: '지금은 받을 수 없었습니다. 잠시 후 다시 시도해 주세요.',
    zh: '刚才没能接收，请稍后再试。',
  },
  unsure: {
    en: 'I cannot tell whether that reached me. If nothing follows here within a minute, try again.',
    de: 'Ich weiß nicht, ob das angekommen ist. Wenn hier binnen einer Minute nichts folgt, versuch es noch einmal.',
    fr: 'J’ignore si cela m’est parvenu. Si rien n’apparaît ici dans la minute, réessayez.',
    es: 'No sé si me ha llegado. Si aquí no aparece nada en un minuto, inténtalo de nuevo.',
    pt: 'Não sei se isso chegou até mim. Se nada aparecer aqui em um minuto, tente de novo.',
    ja: '届いたかどうか分かりません。1分以内にここに何も表示されなければ、もう一度お試しください。',
    ko: '전달되었는지 알 수 없습니다. 1분 안에 여기에 아무것도 나타나지 않으면 다시 시도해 주세요.',
    zh: '我无法确定是否收到。如果一分钟内这里没有后续，请重试。',
  },
  unknown: {
    en: 'I do not know this any more. Call the command once more.',
    de: 'Das kenne ich nicht mehr. Ruf den Befehl noch einmal auf.',
    fr: 'Je ne connais plus cela. Lancez la commande une nouvelle fois.',
    es: 'Ya no conozco esto. Usa el comando otra vez.',
    pt: 'Não conheço mais isto. Use o comando outra vez.',
    ja: 'これはもう無効です。もう一度コマンドを使ってください。',
    ko: '더 이상 유효하지 않은 항목입니다. 명령을 다시 사용해 주세요.',
    zh: '这已失效，请重新使用命令。',
  },
} as const satisfies Readonly<Record<string, LocalizedText>>;

/** Says a text in the language of a tag, in English for others. */
export const discordText = (name: keyof typeof TEXTS, tag: string): string => TEXTS[name][localeOf(tag)];
