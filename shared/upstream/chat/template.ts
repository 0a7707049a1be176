import { parseJson } from '../http/json.ts';

const PROBE = 'ParleyProbe';
/** Streams whose chunks all differ beside the text (a random field in each) are not worth the search. */
const MAX_TRIES = 4;

export type Piece = { readonly kind: 'text' | 'reasoning'; readonly text: string };

/**
 * Most chunks of a stream differ from one another in one string alone. Once a chunk has been parsed and found to hold
 * nothing but a piece of text, the bytes around that piece are kept, and a chunk with the same bytes around another
 * JSON string is known to mean the same with that string in the place: it need not be parsed as a whole. This is exact,
 * not a guess, and makes the common path several times as fast as `JSON.parse`.
 */
export class Template {
  #before = '';
  #after = '';
  #kind: Piece['kind'] = 'text';
  #tries = 0;

  /** What `match` finds is a piece of. */
  get kind(): Piece['kind'] {
    return this.#kind;
  }

  /** The text that the chunk holds, or undefined when the chunk has to be parsed. */
  match(data: string): string | undefined {
    const before = this.#before;
    const after = this.#after;
    const end = data.length - after.length;
    if (before === '' || end < before.length) return undefined;
    if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
    const inner = data.slice(before.length, end);
    if (isPlain(inner)) return inner;
    const text = parseJson(`"${inner}"`);
    return typeof text === 'string' ? text : undefined;
  }

  /**
   * Learns from a chunk that held `piece` and nothing else that matters. `read` finds the piece of a parsed chunk: a
   * probe put in the piece's place must come out of it, which proves that this is the place.
   */
  learn(data: string, piece: Piece, read: (chunk: unknown) => Piece | undefined): void {
    if (this.#tries >= MAX_TRIES) return;
    this.#tries += 1;
    const literal = JSON.stringify(piece.text);
    const at = data.lastIndexOf(literal);
    if (at < 0) return;
    const before = data.slice(0, at + 1);
    const after = data.slice(at + literal.length - 1);
    const probed = read(parseJson(`${before}${PROBE}${after}`));
    if (probed?.text !== PROBE || probed.kind !== piece.kind) return;
    this.#before = before;
    this.#after = after;
    this.#kind = piece.kind;
  }
}

/** Whether the characters stand for themselves in a JSON string. A loop, as the text is short and this is the hot path. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}
