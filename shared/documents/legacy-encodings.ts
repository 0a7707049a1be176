/** A legacy encoding, the characters typical of its language, and their minimum share. */
type LegacyEncoding = { readonly encoding: string; readonly characters: RegExp; readonly minShare: number };

/**
 * In this order: Japanese by kana, Korean by syllables, Chinese by characters and punctuation. European text rarely has two
 * non-ASCII bytes in a row, and never for long.
 */
const LEGACY_ENCODINGS: readonly LegacyEncoding[] = [
  { encoding: 'shift_jis', characters: /[\u3041-\u30FF]/gu, minShare: 0.2 },
  { encoding: 'euc-jp', characters: /[\u3041-\u30FF]/gu, minShare: 0.2 },
  { encoding: 'euc-kr', characters: /[\uAC00-\uD7A3]/gu, minShare: 0.85 },
  { encoding: 'gb18030', characters: /[\u3001-\u3011\u4E00-\u9FFF\uFF01-\uFF5E]/gu, minShare: 0.85 },
];
const NON_ASCII = /\P{ASCII}/gu;
/** The minimum share of non-ASCII bytes that have a non-ASCII neighbour. */
const MIN_PAIRED_SHARE = 0.8;

/** Detects the East Asian legacy encoding of a sample; undefined when none fits. */
export function detectLegacyEncoding(sample: Uint8Array): string | undefined {
  const paired = getPairedShare(sample);
  return LEGACY_ENCODINGS.find(({ encoding, characters: own, minShare: share }) => {
    if (encoding !== 'shift_jis' && paired < MIN_PAIRED_SHARE) return false;
    const text = decodeStrictly(encoding, sample);
    const nonAsciiCount = text?.match(NON_ASCII)?.length ?? 0;
    return nonAsciiCount > 0 && (text?.match(own)?.length ?? 0) / nonAsciiCount >= share;
  })?.encoding;
}

/** The sample may end in the middle of a character. */
function decodeStrictly(encoding: string, sample: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(sample, { stream: true });
  } catch {
    return undefined;
  }
}

/** Returns the share of non-ASCII bytes that have a non-ASCII neighbour. */
function getPairedShare(sample: Uint8Array): number {
  const isNonAscii = (index: number): boolean => (sample[index] ?? 0) > 0x7f;
  let all = 0;
  let paired = 0;
  for (let index = 0; index < sample.length; index += 1) {
    if (!isNonAscii(index)) continue;
    all += 1;
    if (isNonAscii(index - 1) || isNonAscii(index + 1)) paired += 1;
  }
  return all === 0 ? 0 : paired / all;
}
