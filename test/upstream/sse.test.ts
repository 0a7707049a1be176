import { describe, expect, test } from '@jest/globals';
import { createSseDecoder } from '../../shared/upstream/sse.ts';

function decode(chunks: readonly (string | Uint8Array)[], maxChars?: number): string[] {
  const events: string[] = [];
  const decoder = createSseDecoder(
    (data, name) => events.push(name === undefined ? data : `${name}=${data}`),
    maxChars,
  );
  for (const chunk of chunks) decoder.feed(Buffer.from(chunk));
  decoder.end();
  return events;
}

const smile = Buffer.from('data: a😀b\n\n');
const big = 'x'.repeat(4 * 1024 * 1024);

describe('server-sent events', () => {
  test.each<[string, readonly (string | Uint8Array)[], readonly string[]]>([
    ['LF', ['data: a\n\ndata: b\n\n'], ['a', 'b']],
    ['CRLF', ['data: a\r\n\r\ndata: b\r\n\r\n'], ['a', 'b']],
    ['CR', ['data: a\r\rdata: b\r\r'], ['a', 'b']],
    ['mixed', ['data: a\r\n\ndata: b\n\r\n'], ['a', 'b']],
    ['CRLF cut in two', ['data: a\r', '\n\r', '\ndata: b\r', '\n\r\n'], ['a', 'b']],
    ['CR at the end of a piece, then CR', ['data: a\r', '\rdata: b\r\r'], ['a', 'b']],
    [
      'CRLF one byte at a time',
      [...Buffer.from('data: a\r\n\r\ndata: b\r\n\r\n')].map((byte) => Buffer.from([byte])),
      ['a', 'b'],
    ],
    ['a byte order mark', ['\uFEFFdata: a\n\n'], ['a']],
    [
      'a byte order mark in three pieces',
      [Buffer.from([0xef]), Buffer.from([0xbb]), Buffer.from([0xbf]), 'data: a\n\n'],
      ['a'],
    ],
    ['a byte order mark only at the start', ['data: a\n\n\uFEFFdata: b\n\n'], ['a']],
    ['two byte order marks, of which one is text', ['\uFEFF\uFEFFdata: a\n\ndata: b\n\n'], ['b']],
    ['a byte order mark within data', ['data: \uFEFFa\n\n'], ['\uFEFFa']],
    ['four bytes of UTF-8 cut', [smile.subarray(0, 8), smile.subarray(8, 9), smile.subarray(9)], ['a😀b']],
    [
      'bytes that are not UTF-8',
      [Buffer.from([...Buffer.from('data: a'), 0xff, ...Buffer.from('\n\n')])],
      ['a\uFFFD'],
    ],
    ['several lines', ['data: a\ndata: b\n\n'], ['a\nb']],
    ['comments alone', [': ping\n\n:\n\n'], []],
    ['a comment within an event', ['data: a\n: ping\ndata: b\n\n'], ['a\nb']],
    ['empty data', ['data:\n\ndata\n\ndata: \n\n'], []],
    ['exactly one blank taken away', ['data:  a\n\ndata:b\n\n'], [' a', 'b']],
    ['a field without a colon, unknown and upper-case fields', ['data: a\nfoo\nfoo: b\nDATA: c\n\n'], ['a']],
    ['many blank lines', ['\n\n\n\ndata: a\n\n\n\n\n'], ['a']],
    ['an event without data', ['event: ping\n\ndata: a\n\n'], ['a']],
    ['a named event', ['event: error\ndata: a\n\ndata: b\n\n'], ['error=a', 'b']],
    ['no line end at the end', ['data: a'], ['a']],
    ['one line end at the end', ['data: a\n'], ['a']],
    ['an id with NUL, and retry', ['id: 1\0\nretry: 10\ndata: a\n\nretry: x\n\n'], ['a']],
    ['other line separators are text', ['data: a\u2028b\u0085c\n\n'], ['a\u2028b\u0085c']],
    ['TAB and NUL are text', ['data: \ta\0b\n\n'], ['\ta\0b']],
    ['a line of 4 MB', ['data: ', big, '\n\n'], [big]],
    ['empty pieces', ['', 'data: a', '', '\n', '', '\n', ''], ['a']],
  ])('%s', (_, chunks, events) => {
    expect(decode(chunks)).toEqual(events);
  });

  test('an event longer than the limit is rejected, in one line or in many', () => {
    expect(() => decode(['data: ', 'x'.repeat(600), 'x'.repeat(600)], 1_000)).toThrow('longer than 1000');
    expect(() => decode(Array<string>(400).fill('data: xxx\n'), 1_000)).toThrow('longer than 1000');
    expect(
      decode(['data: ', 'x'.repeat(900), '\n\n', 'data: ', 'x'.repeat(900), '\n\n'], 1_000),
    ).toHaveLength(2);
  });
});
