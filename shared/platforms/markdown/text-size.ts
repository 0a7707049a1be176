/** How a platform counts the size of a text. */
export type TextUnit = {
  readonly size: (text: string) => number;
  /** The last offset that `text` may be cut at so that what lies between `from` and it is at most `room` large. */
  readonly reach: (text: string, from: number, room: number) => number;
};

/** Characters as JavaScript counts them: an emoji may be two. */
export const CHARACTERS: TextUnit = {
  size: (text) => text.length,
  reach: (text, from, room) => Math.min(text.length, from + Math.max(0, Math.floor(room))),
};

const encoder = new TextEncoder();

/** Bytes of UTF-8: a Latin letter is one, a Japanese character three, an emoji four or more. */
export const UTF8_BYTES: TextUnit = {
  size: (text) => Buffer.byteLength(text),
  reach: (text, from, room) => {
    const most = Math.max(0, Math.floor(room));
    // No character is less than a byte.
    const start = text.slice(from, from + most);
    return from + encoder.encodeInto(start, new Uint8Array(most)).read;
  },
};

/** How large a message may be. */
export type TextLimit = { readonly max: number; readonly unit: TextUnit };

export const inCharacters = (max: number): TextLimit => ({ max, unit: CHARACTERS });
export const inBytes = (max: number): TextLimit => ({ max, unit: UTF8_BYTES });
