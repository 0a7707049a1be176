import * as zlib from 'node:zlib';
import { expect, test } from '@jest/globals';
import { brotliCompressSync, brotliDecompressSync } from './compression-cache.ts';

test('a text is compressed as zlib does, each time into bytes of its own', () => {
  const [first, second] = ['one', 'one'].map((text) => brotliCompressSync(text, {}));
  expect(first).toEqual(zlib.brotliCompressSync('one'));
  expect(second).toEqual(first);
  expect(second).not.toBe(first);
  expect(brotliCompressSync('two', {})).toEqual(zlib.brotliCompressSync('two'));
});

test('bytes are decompressed by their content, not by the buffer that they are in', () => {
  const both = Buffer.concat(['one', 'two'].map((text) => zlib.brotliCompressSync(text)));
  const middle = zlib.brotliCompressSync('one').length;
  const parts = [both.subarray(0, middle), both.subarray(middle), both.subarray(0, middle)];
  expect(parts.map((part) => brotliDecompressSync(part, {}).toString())).toEqual(['one', 'two', 'one']);
});
