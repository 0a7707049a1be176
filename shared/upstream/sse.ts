import { createParser } from 'eventsource-parser';
import { TooLargeError } from './errors.ts';

/** Maximum size of one event. Bounds the memory when a server never ends a line. */
export const MAX_EVENT_CHARS = 8 * 1024 * 1024;

export type SseDecoder = {
  /** Adds bytes, cut anywhere. Throws TooLargeError when one event exceeds the limit. */
  readonly feed: (chunk: Uint8Array) => void;
  /** Ends the stream. A last event without its blank line is delivered, although the standard drops it. */
  readonly end: () => void;
};

/**
 * Decodes server-sent events. Calls `onEvent` with each event's joined data and its name. Skips events without data,
 * comments, ids and retry fields.
 */
export function createSseDecoder(
  onEvent: (data: string, name: string | undefined) => void,
  maxChars: number = MAX_EVENT_CHARS,
): SseDecoder {
  let hasOverflowed = false;
  const parser = createParser({
    maxBufferSize: maxChars,
    onEvent: ({ data, event }) => {
      if (data !== '') onEvent(data, event);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') hasOverflowed = true;
    },
  });
  // The parser itself removes one leading byte order mark; the decoder must not remove another.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const feed = (text: string): void => {
    if (text !== '') parser.feed(text);
    if (hasOverflowed)
      throw new TooLargeError(`An event of the stream is longer than ${maxChars} characters.`, {
        code: 'event_too_large',
      });
  };
  return {
    feed: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
