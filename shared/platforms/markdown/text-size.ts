/** The unit in which a platform measures text. */
export type TextUnit = {
  readonly size: (text: string) => number;
  /** The last offset so that the text from `from` to it measures at most `room`. */
  readonly reach: (text: string, from: number, room: number) => number;
};

/** UTF-16 code units: an emoji may be two. */
export const CHARACTERS: TextUnit = {
  size: (text) => text.length,
  reach: (text, from, room) => Math.min(text.length, from + Math.max(0, Math.floor(room))),
};

const encoder = new TextEncoder();

/** Bytes of UTF-8: a Latin letter has one, a Japanese character three, an emoji four or more. */
export const UTF8_BYTES: TextUnit = {
  size: (text) => Buffer.byteLength(text),
  reach: (text, from, room) => {
    const most = Math.max(0, Math.floor(room));
    // Every character has at least one byte.
    const start = text.slice(from, from + most);
    return from + encoder.encodeInto(start, new Uint8Array(most)).read;
  },
};

/** The largest message, in a unit. */
export type TextLimit = { readonly max: number; readonly unit: TextUnit };

export const inCharacters = (max: number): TextLimit => ({ max, unit: CHARACTERS });
export const inBytes = (max: number): TextLimit => ({ max, unit: UTF8_BYTES });
