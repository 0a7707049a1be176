import { describe, expect, test } from '@jest/globals';
import { MAX_CHARACTERS, readFileContent } from '../../shared/documents/index.ts';

const NO_HINT = { name: 'file', mimetype: '' };
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const read = (bytes: Uint8Array, hint = NO_HINT) => readFileContent(bytes, hint);

describe('the type of a file is detected from its content, not from its name', () => {
  test.each([
    ['image/png', '\x89PNG\r\n\x1a\n....'],
    ['image/jpeg', '\xff\xd8\xff\xe0..JFIF'],
    ['image/gif', 'GIF89a....'],
    ['image/webp', 'RIFF....WEBPVP8 '],
  ])('%s', async (mimetype, start) => {
    expect(await read(latin1(start), { name: 'notes.txt', mimetype: 'text/plain' })).toMatchObject({
      kind: 'image',
      mimetype,
    });
  });

  test.each([
    ['an MP3 with a tag', 'ID3\x04....', 'sound'],
    ['an MP3 without', '\xff\xfb\x90\x00\x00\x00\x01', 'sound'],
    ['a WAV', 'RIFF....WAVEfmt ', 'sound'],
    ['an M4A', '\x00\x00\x00\x20ftypM4A ....', 'sound'],
    ['an Ogg', 'OggS\x00....', 'sound'],
    ['a film', '\x00\x00\x00\x20ftypisom....', 'video'],
    ['a WebM', '\x1a\x45\xdf\xa3....', 'video'],
  ])('%s', async (_, start, kind) => {
    expect(await read(latin1(start))).toEqual({ kind });
  });

  test('audio in a container shared with video, when the platform says so', async () => {
    const clip = { name: 'audio_message.mp4', mimetype: 'audio/mp4' };
    expect(await read(latin1('\x00\x00\x00\x20ftypisom....'), clip)).toEqual({ kind: 'sound' });
    expect(
      await read(latin1('\x1a\x45\xdf\xa3....'), { name: 'audio_message.webm', mimetype: 'audio/webm' }),
    ).toEqual({ kind: 'sound' });
  });

  test.each([
    ['a HEIC picture', '\x00\x00\x00\x20ftypheic....', 'picture', 'HEIC'],
    ['a Word document', 'PK\x03\x04....word/document.xml', 'document', 'Word'],
    ['an Excel workbook', 'PK\x03\x04....xl/workbook.xml', 'document', 'Excel'],
    ['an archive', 'PK\x03\x04....notes.txt', 'archive', undefined],
    ['a program', '\x7fELF\x02\x01', 'program', undefined],
  ])('%s is recognized', async (_, start, reason, format) => {
    expect(await read(latin1(start))).toEqual({ kind: 'unreadable', reason, format });
  });

  test('text that starts like a signature is text', async () => {
    for (const text of ['MZ is a prefix', 'BMW makes cars', 'BZh is odd', 'ID3 tags explained']) {
      expect(await read(Buffer.from(text))).toEqual({ kind: 'text', text });
    }
  });

  test('bytes of an unknown format', async () => {
    expect(await read(Uint8Array.of(0, 1, 2, 3, 0x81, 0xff))).toEqual({
      kind: 'unreadable',
      reason: 'unknown',
    });
    expect(await read(new Uint8Array())).toEqual({ kind: 'unreadable', reason: 'empty' });
    expect(await read(Buffer.from(' \n'))).toEqual({ kind: 'unreadable', reason: 'empty' });
  });
});

describe('text', () => {
  test.each([
    ['UTF-8', Buffer.from('naïve – 日本 👍')],
    ['UTF-8 with a mark', Buffer.from('\uFEFFnaïve – 日本 👍')],
    ['UTF-16 LE', Buffer.from('\uFEFFnaïve – 日本 👍', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\uFEFFnaïve – 日本 👍', 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    expect(await read(bytes)).toEqual({ kind: 'text', text: 'naïve – 日本 👍' });
  });

  test('a legacy encoding, if all of it is printable', async () => {
    expect(await read(latin1('caf\xe9 \x96 10 \x80'))).toEqual({ kind: 'text', text: 'café – 10 €' });
    expect((await read(latin1('caf\xe9 \x01'))).kind).toBe('unreadable');
    expect((await read(latin1('caf\xe9 \x81'))).kind).toBe('unreadable');
  });

  // Encoded by other programs, since Node has no encoders for these.
  test.each([
    [
      'Shift-JIS',
      '8e8196bc2c95948f900a8e52936382b382f182cc83658358836781418f4982ed82e882dc82b582bd8142',
      '氏名,部署\n山田さんのテスト、終わりました。',
    ],
    ['Shift-JIS without a full stop', '82b182f182c982bf82cd', 'こんにちは'],
    [
      'EUC-JP',
      'c6fccbdcb8eca4cecab8becfa4c7a4b9a1a3c5ecb5fea4d8b9d4a4ada4dea4b9a1a3',
      '日本語の文章です。東京へ行きます。',
    ],
    ['EUC-KR', 'c0ccb8a72cbacebcad0ac7d1b1b9beee20b9aec0e5c0d4b4cfb4d92e', '이름,부서\n한국어 문장입니다.'],
    [
      'GBK',
      'd0d5c3fb2cb2bfc3c50ad5e2cac7d2bbb8f6d6d0cec4b5c4cec4bcfea1a3',
      '姓名,部门\n这是一个中文的文件。',
    ],
    ['UTF-16 without a mark', '47007200fc00df0065002c002000310036002000420069007400', 'Grüße, 16 Bit'],
  ])('in %s is decoded correctly', async (_, hex, text) => {
    expect(await read(Buffer.from(hex, 'hex'))).toEqual({ kind: 'text', text });
  });

  test.each([
    'Größe: für Ägypten müßte schließlich über Öl gesprochen werden',
    'déjà vu à Noël, où l’été finit ; œuvre créée',
    'não há avião; coração, São João, lições',
    'El niño añade: ¿qué? ¡Sí! Mañana',
    'ÄÖÜ äöü ß',
  ])('in the old encoding of Europe is not mistaken for an Asian one: %s', async (text) => {
    const old = text.replaceAll('’', '\x92').replaceAll('œ', '\x9c');
    expect(await read(latin1(old))).toEqual({ kind: 'text', text });
  });

  test('has its line ends normalized and terminal colours removed', async () => {
    expect(await read(Buffer.from('a\r\nb \u001b[31mred\u001b[0m'))).toEqual({
      kind: 'text',
      text: 'a\nb red',
    });
  });

  test('beyond the maximum is counted, and no surrogate pair is split', async () => {
    const long = await read(Buffer.from('x'.repeat(MAX_CHARACTERS - 1) + '👍'.repeat(10)));
    expect(long).toMatchObject({ kind: 'text', omitted: 20 });
    expect(long.kind === 'text' && long.text.isWellFormed()).toBe(true);
  });
});
