import { createParser } from 'eventsource-parser';
import { TooLargeError } from './errors.ts';

/** An event of a stream may be this long; a server that never ends its line is refused in bounded memory. */
export const MAX_EVENT_CHARS = 8 * 1024 * 1024;

export type SseDecoder = {
  /** Takes bytes as they come, cut anywhere. Throws TooLargeError when one event exceeds the limit. */
  readonly feed: (chunk: Uint8Array) => void;
  /** The stream is over: a last event without its blank line is delivered too, which the standard would drop. */
  readonly end: () => void;
};

/**
 * Decodes server-sent events. `onEvent` gets each event's data, joined and with empty ones left out, and its name.
 * Comments, ids and retry fields are passed over.
 */
export function createSseDecoder(
  onEvent: (data: string, name: string | undefined) => void,
  maxChars: number = MAX_EVENT_CHARS,
): SseDecoder {
  let overflow = false;
  const parser = createParser({
    maxBufferSize: maxChars,
    onEvent: ({ data, event }) => {
      if (data !== '') onEvent(data, event);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') overflow = true;
    },
  });
  // The parser itself takes one leading byte order mark away, and only one.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const feed = (text: string): void => {
    if (text !== '') parser.feed(text);
    if (overflow)
      throw new TooLargeError(`An event of the stream is longer than ${maxChars} characters.`, {
        code: 'event_too_large',
      });
  };
  return {
    feed: (chunk) => feed(decoder.decode(chunk, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
  };
}
