import { describe, expect, test } from '@jest/globals';
import { MAX_CHARACTERS, readFile } from '../../shared/documents/index.ts';

const NO_HINT = { name: 'file', mimetype: '' };
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const read = (bytes: Uint8Array, hint = NO_HINT) => readFile(bytes, hint);

describe('what a file is, is told by its content, not by its name', () => {
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

  test('sound in a container that films have too, where the platform says so', async () => {
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
  ])('%s is told', async (_, start, why, format) => {
    expect(await read(latin1(start))).toEqual({ kind: 'unreadable', why, format });
  });

  test('words that begin like something else are words', async () => {
    for (const text of ['MZ is a prefix', 'BMW makes cars', 'BZh is odd', 'ID3 tags explained']) {
      expect(await read(Buffer.from(text))).toEqual({ kind: 'text', text });
    }
  });

  test('bytes that are nothing known', async () => {
    expect(await read(Uint8Array.of(0, 1, 2, 3, 0x81, 0xff))).toEqual({
      kind: 'unreadable',
      why: 'unknown',
    });
    expect(await read(new Uint8Array())).toEqual({ kind: 'unreadable', why: 'empty' });
    expect(await read(Buffer.from(' \n'))).toEqual({ kind: 'unreadable', why: 'empty' });
  });
});

describe('words', () => {
  test.each([
    ['UTF-8', Buffer.from('naïve – 日本 👍')],
    ['UTF-8 with a mark', Buffer.from('\uFEFFnaïve – 日本 👍')],
    ['UTF-16 LE', Buffer.from('\uFEFFnaïve – 日本 👍', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\uFEFFnaïve – 日本 👍', 'utf16le').swap16()],
  ])('%s', async (_, bytes) => {
    expect(await read(bytes)).toEqual({ kind: 'text', text: 'naïve – 日本 👍' });
  });

  test('an old encoding, if all of it can be printed', async () => {
    expect(await read(latin1('caf\xe9 \x96 10 \x80'))).toEqual({ kind: 'text', text: 'café – 10 €' });
    expect((await read(latin1('caf\xe9 \x01'))).kind).toBe('unreadable');
    expect((await read(latin1('caf\xe9 \x81'))).kind).toBe('unreadable');
  });

  // Made by other programs' encoders, since Node has none.
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
  ])('in %s are read as they were written', async (_, hex, text) => {
    expect(await read(Buffer.from(hex, 'hex'))).toEqual({ kind: 'text', text });
  });

  test.each([
    'Größe: für Ägypten müßte schließlich über Öl gesprochen werden',
    'déjà vu à Noël, où l’été finit ; œuvre créée',
    'não há avião; coração, São João, lições',
    'El niño añade: ¿qué? ¡Sí! Mañana',
    'ÄÖÜ äöü ß',
  ])('in the old encoding of Europe are not taken for any of Asia: %s', async (text) => {
    const old = text.replaceAll('’', '\x92').replaceAll('œ', '\x9c');
    expect(await read(latin1(old))).toEqual({ kind: 'text', text });
  });

  test('ends of lines are made one kind, and the colours of a terminal go', async () => {
    expect(await read(Buffer.from('a\r\nb \u001b[31mred\u001b[0m'))).toEqual({
      kind: 'text',
      text: 'a\nb red',
    });
  });

  test('what is beyond the most is counted, and no character is broken in half', async () => {
    const long = await read(Buffer.from('x'.repeat(MAX_CHARACTERS - 1) + '👍'.repeat(10)));
    expect(long).toMatchObject({ kind: 'text', left: 20 });
    expect(long.kind === 'text' && long.text.isWellFormed()).toBe(true);
  });
});
