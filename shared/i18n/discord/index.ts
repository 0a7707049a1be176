import { inLocales, toLocale } from '../locale.ts';

/* Texts of Discord's front. Plain strings, because the front must start in milliseconds and cannot load a formatter. */
const TEXTS = {
  busy: inLocales(
    'I could not accept that. Try again in a moment.',
    'Das konnte ich gerade nicht annehmen. Versuch es gleich noch einmal.',
    'Je n’ai pas pu l’accepter. Réessayez dans un instant.',
    'No he podido aceptarlo. Inténtalo de nuevo en un momento.',
    'Não consegui aceitar isso. Tente de novo daqui a pouco.',
    '受け付けられませんでした。後でもう一度お試しください。',
    '받을 수 없었습니다. 잠시 후 다시 시도해 주세요.',
    '刚才没能接收，请稍后再试。',
  ),
  unsure: inLocales(
    'I do not know if that arrived. If nothing follows here within a minute, try again.',
    'Ich weiß nicht, ob das angekommen ist. Kommt in einer Minute nichts, versuch es noch einmal.',
    'J’ignore si c’est arrivé. Si rien n’apparaît d’ici une minute, réessayez.',
    'No sé si me ha llegado. Si no aparece nada en un minuto, inténtalo de nuevo.',
    'Não sei se isso chegou. Se nada aparecer em um minuto, tente de novo.',
    '届いたか分かりません。1分以内に何も表示されなければ、もう一度お試しください。',
    '전달되었는지 알 수 없습니다. 1분 안에 답이 없으면 다시 시도해 주세요.',
    '不确定是否收到。如果一分钟内没有回复，请重试。',
  ),
  unknown: inLocales(
    'This is no longer valid. Use the command again.',
    'Das gilt nicht mehr. Ruf den Befehl noch einmal auf.',
    'Ce n’est plus valable. Relancez la commande.',
    'Esto ya no es válido. Usa el comando otra vez.',
    'Isto não é mais válido. Use o comando outra vez.',
    'これはもう無効です。もう一度コマンドを使ってください。',
    '더 이상 유효하지 않습니다. 명령어를 다시 사용해 주세요.',
    '这已失效，请重新使用命令。',
  ),
};

/** Returns a text in the language of a tag; English for unsupported languages. */
export const getDiscordText = (name: keyof typeof TEXTS, tag: string): string => TEXTS[name][toLocale(tag)];
