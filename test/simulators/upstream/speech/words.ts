/** The languages that the service is known to translate to, each with its words for 0 to 9. */
export const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  english: ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'],
  french: ['zéro', 'un', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf'],
  spanish: ['cero', 'uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho', 'nueve'],
  japanese: ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'],
  chinese: ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'],
  korean: ['영', '일', '이', '삼', '사', '오', '육', '칠', '팔', '구'],
  italian: ['zero', 'uno', 'due', 'tre', 'quattro', 'cinque', 'sei', 'sette', 'otto', 'nove'],
  portuguese: ['zero', 'um', 'dois', 'três', 'quatro', 'cinco', 'seis', 'sete', 'oito', 'nove'],
  german: ['null', 'eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun'],
};

/** A word with its time (s). */
export type Word = { readonly start: number; readonly end: number; readonly transcript: string };

const FILLER = 'this is sound in which no words can be heard'.split(' ');
const SECONDS_PER_WORD = 0.4;

/** The transcript of sound without words: as many words as fit its length. */
export function fillerWords(seconds: number): Word[] {
  return Array.from({ length: Math.max(1, Math.floor(seconds / SECONDS_PER_WORD)) }, (_, at) => ({
    start: Math.round(at * SECONDS_PER_WORD * 1000) / 1000,
    end: Math.min(seconds, Math.round((at + 0.9) * SECONDS_PER_WORD * 1000) / 1000),
    transcript: FILLER[at % FILLER.length] ?? '',
  }));
}

/** Words in another language: numbers are translated, the rest is passed on with the language named; English is what it has. */
export function translate(words: readonly string[], language: string): string {
  if (language === 'english') return words.join(' ');
  const english = NUMBERS['english'] ?? [];
  const numbers = NUMBERS[language] ?? [];
  const digits = words.map((word) => numbers[english.indexOf(word)]);
  const all = digits.flatMap((word) => (word === undefined ? [] : [word]));
  return all.length === words.length ? all.join(' ') : `(${language}) ${words.join(' ')}`;
}
