import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { removeMetadata, type CleanedImage } from '../../shared/image-files/index.ts';
import { PICTURES } from './pictures.ts';

const bytesOf = (name: keyof typeof PICTURES): Buffer => Buffer.from(PICTURES[name], 'base64');

function cleaned(bytes: Uint8Array): CleanedImage {
  const result = removeMetadata(bytes);
  if (typeof result === 'string') throw new Error(result);
  return result;
}

const scan = (bytes: Uint8Array): Buffer => {
  const whole = Buffer.from(bytes);
  return whole.subarray(whole.indexOf(Buffer.of(0xff, 0xda)), whole.lastIndexOf(Buffer.of(0xff, 0xd9)));
};

const data = (bytes: Uint8Array, name: string): Buffer => {
  const whole = Buffer.from(bytes);
  return whole.subarray(whole.indexOf(name), whole.indexOf(name) + 100);
};

const sized = (width: number, height: number): Buffer => {
  const png = bytesOf('png');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
};

const NAMES = ['jpeg', 'progressive', 'png', 'webp', 'webpLossless', 'gif'] as const;

describe('removing metadata from an image', () => {
  test.each(NAMES)('%s: removes personal data and data after the end; reads the size', (name) => {
    const bytes = Buffer.concat([bytesOf(name), Buffer.from('CANARY-TRAILER')]);
    const image = cleaned(bytes);
    expect([image.width, image.height]).toEqual([48, 32]);
    expect(Buffer.from(image.bytes).includes('CANARY')).toBe(false);
    // What is clean stays as it is.
    expect(Buffer.from(cleaned(image.bytes).bytes).equals(image.bytes)).toBe(true);
  });

  test('leaves the coded pixels unchanged', () => {
    expect(scan(cleaned(bytesOf('jpeg')).bytes).equals(scan(bytesOf('jpeg')))).toBe(true);
    expect(data(cleaned(bytesOf('png')).bytes, 'IDAT')).toEqual(data(bytesOf('png'), 'IDAT'));
    expect(data(cleaned(bytesOf('webp')).bytes, 'VP8 ')).toEqual(data(bytesOf('webp'), 'VP8 '));
  });

  test('keeps the orientation, without which the image would lie on its side', () => {
    const bytes = Buffer.from(cleaned(bytesOf('jpeg')).bytes);
    const exif = bytes.indexOf('Exif\0\0');
    expect(bytes.readUInt16LE(exif + 6 + 10)).toBe(0x0112);
    expect(bytes.readUInt16LE(exif + 6 + 18)).toBe(6);
  });

  test('detects the format from the content and rejects other formats', () => {
    const kinds = NAMES.map((name) => cleaned(bytesOf(name)).mimetype);
    expect(kinds).toEqual(['image/jpeg', 'image/jpeg', 'image/png', 'image/webp', 'image/webp', 'image/gif']);
    const others = [
      '',
      'hello',
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'BM......',
      '%PDF-1.7',
      'RIFF....WAVE',
    ];
    expect(others.map((text) => removeMetadata(Buffer.from(text)))).toEqual(
      others.map(() => 'not-a-picture'),
    );
  });

  test('rejects an image with too many pixels and one that is too small', () => {
    expect(removeMetadata(sized(60_000, 60_000))).toBe('too-large');
    expect(removeMetadata(sized(8_193, 100))).toBe('too-large');
    expect(removeMetadata(sized(8_000, 8_000))).toBe('too-large');
    expect(removeMetadata(sized(15, 400))).toBe('too-small');
    expect(removeMetadata(sized(6_000, 6_000))).toMatchObject({ width: 6_000 });
  });

  test('rejects or cleans damaged and overwritten images without throwing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.nat(2_000),
        fc.array(fc.tuple(fc.nat(2_000), fc.nat(255)), { maxLength: 8 }),
        (name, length, changes) => {
          const bytes = Buffer.from(bytesOf(name).subarray(0, length));
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          const result = removeMetadata(bytes);
          expect(typeof result === 'string' || result.bytes.length <= bytes.length + 64).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
