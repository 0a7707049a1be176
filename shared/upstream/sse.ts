import { createParser, type ParseError } from 'eventsource-parser';
import { TooLargeError } from './errors.ts';
import { isObject, parseJson } from './http/json.ts';

/** Maximum size of one event. Bounds the memory when a server never ends a line. */
export const MAX_EVENT_CHARS = 8 * 1024 * 1024;

export type SseDecoder = {
  /** Adds bytes, cut anywhere. Throws TooLargeError when one event exceeds the limit. */
  readonly feed: (chunk: Uint8Array) => void;
  /** Ends the stream. A last event without its blank line is delivered, although the standard drops it. */
  readonly end: () => void;
};

/** A keep-alive: an event `ping`, or a comment that a gateway has put into a data field. Neither is part of an answer. */
const isKeepAlive = (data: string, name: string | undefined): boolean =>
  name === 'ping' || data.trimStart().startsWith(':');

/**
 * Returns the error of a line that is no field of the standard: `error: {…}`, as llama.cpp sends it before September 2025, or an
 * error body that a gateway has put between the events.
 */
function findErrorInLine({ type, field, value, line = '' }: ParseError): string | undefined {
  if (type !== 'unknown-field') return undefined;
  if (field === 'error') return value;
  const body = line.startsWith('{') ? parseJson(line) : undefined;
  return isObject(body) && body['error'] !== undefined ? line : undefined;
}

/**
 * Decodes server-sent events. Calls `onEvent` with each event's joined data and its name. Skips events without data,
 * comments and other keep-alives, ids and retry fields. An error outside of an event is an event of the name `error`.
 */
export function createSseDecoder(
  onEvent: (data: string, name: string | undefined) => void,
  maxChars: number = MAX_EVENT_CHARS,
): SseDecoder {
  let hasOverflowed = false;
  const parser = createParser({
    maxBufferSize: maxChars,
    onEvent: ({ data, event }) => {
      if (data !== '' && !isKeepAlive(data, event)) onEvent(data, event);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') hasOverflowed = true;
      const body = findErrorInLine(error);
      if (body !== undefined) onEvent(body, 'error');
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
