/** Letters that stand for a language in the encodings that were its own before UTF-8. */
type Old = { readonly encoding: string; readonly own: RegExp; readonly share: number };

/**
 * In this order: Japanese by its kana, Korean by its syllables, Chinese by the characters that both bytes of a pair beyond
 * ASCII give. Words of Europe are rarely two such bytes together, and never for long.
 */
const OLD: readonly Old[] = [
  { encoding: 'shift_jis', own: /[\u3041-\u30FF]/gu, share: 0.2 },
  { encoding: 'euc-jp', own: /[\u3041-\u30FF]/gu, share: 0.2 },
  { encoding: 'euc-kr', own: /[\uAC00-\uD7A3]/gu, share: 0.85 },
  { encoding: 'gb18030', own: /[\u3001-\u3011\u4E00-\u9FFF\uFF01-\uFF5E]/gu, share: 0.85 },
];
const BEYOND_ASCII = /\P{ASCII}/gu;
/** Of all bytes beyond ASCII, so many must stand beside another. */
const PAIRED = 0.8;

/** The encoding of East Asian text that `sample` is in, as files of older programs are; undefined where it looks like none. */
export function oldEncodingOf(sample: Uint8Array): string | undefined {
  const paired = inPairs(sample);
  return OLD.find(({ encoding, own, share }) => {
    if (encoding !== 'shift_jis' && paired < PAIRED) return false;
    const text = decoded(encoding, sample);
    const beyond = text?.match(BEYOND_ASCII)?.length ?? 0;
    return beyond > 0 && (text?.match(own)?.length ?? 0) / beyond >= share;
  })?.encoding;
}

/** The sample may end in the middle of a character. */
function decoded(encoding: string, sample: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return undefined;
  }
}

/** The share of the bytes beyond ASCII that stand beside another. */
function inPairs(sample: Uint8Array): number {
  const high = (at: number): boolean => (sample[at] ?? 0) > 0x7f;
  let all = 0;
  let paired = 0;
  for (let at = 0; at < sample.length; at += 1) {
    if (!high(at)) continue;
    all += 1;
    if (high(at - 1) || high(at + 1)) paired += 1;
  }
  return all === 0 ? 0 : paired / all;
}
