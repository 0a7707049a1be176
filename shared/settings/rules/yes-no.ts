/** Words for yes, on and true in the languages of the bot. */
const YES = new Set(
  'yes y true on 1 ja an ein wahr oui activé vrai sí si activado verdadero sim ligado ativado verdadeiro はい オン 有効 예 네 켜기 켜짐 켬 참 是 开 打开 开启 真'.split(
    ' ',
  ),
);
/** Words for no, off and false. */
const NO = new Set(
  'no n false off 0 nein aus falsch non désactivé faux desactivado falso não nao desligado desativado いいえ オフ 無効 아니요 아니오 끄기 꺼짐 끔 거짓 否 不 关 关闭 假'.split(
    ' ',
  ),
);

/** Parses a yes or no in any language of the bot, in any case and width; undefined for other words. */
export function parseYesNo(text: string): boolean | undefined {
  const word = text.normalize('NFKC').trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}
