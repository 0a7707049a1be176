import type { Random } from '../random.ts';

/**
 * A text that a regular expression matches: literals, classes, groups, alternatives and quantifiers. What it cannot
 * follow (look-around, back references) it leaves out, so that the answer may then not fit.
 */
export function fromPattern(pattern: string, random: Random): string {
  let at = 0;
  const peek = (): string => pattern.charAt(at);
  const eat = (): string => pattern.charAt(at++);

  function alternatives(): string {
    const all = [sequence()];
    while (peek() === '|') {
      eat();
      all.push(sequence());
    }
    return all[Math.floor(random() * all.length)] ?? '';
  }
  function sequence(): string {
    let text = '';
    while (at < pattern.length && peek() !== '|' && peek() !== ')') text += repeated();
    return text;
  }
  function repeated(): string {
    const start = at;
    const once = atom();
    const end = at;
    const [least, max] = quantifier();
    const count = Math.min(5000, least + Math.floor(random() * (Math.min(max, least + 3) - least + 1)));
    if (count === 0) return '';
    const after = at;
    let text = once;
    for (let n = 1; n < count; n += 1) {
      at = start;
      text += atom();
    }
    at = Math.max(after, end);
    return text;
  }
  function atom(): string {
    const sign = eat();
    if (sign === '(') return group();
    if (sign === '[') return oneOf(charClass());
    if (sign === '\\') return oneOf(escaped(eat()));
    if (sign === '.') return 'a';
    return sign === '^' || sign === '$' ? '' : sign;
  }
  function group(): string {
    const head = /^\?(?::|<[A-Za-z]\w*>)/u.exec(pattern.slice(at))?.[0] ?? '';
    at += head.length;
    const text = alternatives();
    eat();
    return text;
  }
  function charClass(): string {
    const negated = peek() === '^';
    if (negated) eat();
    let set = '';
    while (at < pattern.length && peek() !== ']') {
      const from = eat();
      if (from === '\\') set += escaped(eat());
      else if (peek() === '-' && pattern.charAt(at + 1) !== ']') {
        eat();
        set += range(from, eat());
      } else set += from;
    }
    eat();
    return negated
      ? Array.from(PRINTABLE)
          .filter((sign) => !set.includes(sign))
          .join('')
      : set;
  }
  function quantifier(): readonly [number, number] {
    const repetition = /^(?:\{(\d+)(,?)(\d*)\}|[*+?])\??/u.exec(pattern.slice(at));
    if (repetition === null) return [1, 1];
    at += repetition[0].length;
    if (repetition[0].startsWith('*')) return [0, 3];
    if (repetition[0].startsWith('+')) return [1, 3];
    if (repetition[0].startsWith('?')) return [0, 1];
    const least = Number(repetition[1]);
    if (repetition[2] === '') return [least, least];
    return [least, repetition[3] === '' ? least + 3 : Number(repetition[3])];
  }
  const oneOf = (set: string): string => set.charAt(Math.floor(random() * set.length));
  return alternatives();
}

const PRINTABLE = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ -.,;:!?/@#`;

function escaped(sign: string): string {
  if (sign === 'd') return '0123456789';
  if (sign === 'w') return 'abcdefghijklmnopqrstuvwxyz0123456789_';
  if (sign === 's') return ' ';
  if (sign === 'D') return 'abcdef';
  if (sign === 'S') return 'abcdef123';
  if (sign === 'W') return '-. ';
  if (sign === 'b' || sign === 'B') return '';
  return sign;
}

function range(from: string, to: string): string {
  let set = '';
  const last = Math.min(to.charCodeAt(0), from.charCodeAt(0) + 200);
  for (let code = from.charCodeAt(0); code <= last; code += 1) set += String.fromCharCode(code);
  return set;
}
