import { deflateSync } from 'node:zlib';

/** Small files that claim, or expand to, far more than their size; built once for the tests. */

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};
const chunk = (type: string, content: Uint8Array): Buffer =>
  Buffer.concat([u32(content.length), Buffer.from(type, 'latin1'), content, u32(0)]);
const repeated = (part: Uint8Array, times: number): Buffer => Buffer.alloc(part.length * times, part);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const header = (width: number, height: number): Buffer =>
  chunk('IHDR', Buffer.concat([u32(width), u32(height), Buffer.from([8, 6, 0, 0, 0])]));
const END = chunk('IEND', Buffer.alloc(0));
const MANY = 500_000;

/** Pictures by their defect. */
export const PICTURES: Readonly<Record<string, () => Buffer>> = {
  'a PNG of four billion pixels a side': () => Buffer.concat([PNG, header(2 ** 32 - 1, 2 ** 32 - 1), END]),
  'a PNG that unfolds a thousandfold': () =>
    Buffer.concat([PNG, header(50_000, 50_000), chunk('IDAT', deflateSync(Buffer.alloc(10_000_000))), END]),
  'a PNG of half a million empty chunks': () =>
    Buffer.concat([PNG, header(64, 64), repeated(chunk('IDAT', Buffer.alloc(0)), MANY), END]),
  'a PNG of half a million notes': () =>
    Buffer.concat([PNG, header(64, 64), repeated(chunk('tEXt', Buffer.alloc(1)), MANY), END]),
  'a PNG whose chunk says it is 4 GB': () =>
    Buffer.concat([PNG, header(64, 64), u32(2 ** 32 - 1), Buffer.from('IDAT'), Buffer.alloc(100)]),
  'a GIF of half a million frames': () =>
    Buffer.concat([
      Buffer.from('GIF89a\x40\0\x40\0\0\0\0', 'latin1'),
      repeated(Buffer.from(',\0\0\0\0\x40\0\x40\0\0\x02\x01\0\0', 'latin1'), MANY),
      Buffer.from(';'),
    ]),
  'a GIF that never ends a block': () =>
    Buffer.concat([
      Buffer.from('GIF89a\xff\xff\xff\xff\0\0\0!\xff\x0bNETSCAPE2.0', 'latin1'),
      repeated(Buffer.from([1, 0x41]), MANY),
    ]),
  'a JPEG of half a million segments': () =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      repeated(Buffer.from([0xff, 0xe1, 0, 2]), MANY),
      Buffer.from([0xff, 0xd9]),
    ]),
  'a JPEG of a million filling bytes': () =>
    Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2 * MANY, 0xff)]),
  'a WebP of half a million chunks of no length': () =>
    Buffer.concat([
      Buffer.from('RIFF\xff\xff\xff\xffWEBP', 'latin1'),
      repeated(Buffer.from('EXIF\0\0\0\0', 'latin1'), MANY),
    ]),
};

/** A PDF with these objects, numbered from 1; `trailer` is added to its trailer. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const size = (): number => parts.reduce((sum, { length }) => sum + length, 0);
  const rows = objects.map((object, i) => {
    const at = String(size()).padStart(10, '0');
    parts.push(Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n'));
    return `${at} 00000 n \n`;
  });
  const start = size();
  const count = objects.length + 1;
  const tail = `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}trailer << /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.concat([...parts, Buffer.from(tail)]);
}

const CATALOG = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGES = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const page = (contents: string): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents ${contents} /Resources << /XObject << /F 5 0 R >> >> >>`;
const stream = (content: Uint8Array, more = ''): Buffer =>
  Buffer.concat([
    Buffer.from(`<< /Length ${content.length} ${more} >>\nstream\n`),
    content,
    Buffer.from('\nendstream'),
  ]);
/** Zeroes, compressed to a thousandth of their size by each round. */
const folded = (bytes: number, times: number): Buffer => {
  let content: Buffer = Buffer.alloc(bytes, ' ');
  for (let i = 0; i < times; i += 1) content = deflateSync(content);
  return content;
};

/** PDFs by their defect. */
export const PDFS: Readonly<Record<string, () => Buffer>> = {
  'whose page tree is its own child': () => pdfOf([CATALOG, '<< /Type /Pages /Kids [2 0 R] /Count 1 >>']),
  'that says it has a billion pages': () =>
    pdfOf([
      CATALOG,
      '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>',
      page('4 0 R'),
      stream(Buffer.alloc(0)),
    ]),
  'that refers to itself for its earlier part': () =>
    pdfOf([CATALOG, PAGES, page('4 0 R'), stream(Buffer.alloc(0))], '/Prev 9'),
  'of lists within lists': () =>
    pdfOf([CATALOG, PAGES, page(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)]),
  'of dictionaries within dictionaries': () =>
    pdfOf([CATALOG, `${'<< /A '.repeat(50_000)}1${' >>'.repeat(50_000)}`]),
  'that unfolds a hundred megabytes': () =>
    pdfOf([CATALOG, PAGES, page('4 0 R'), stream(folded(100_000_000, 1), '/Filter /FlateDecode')]),
  'that unfolds twice': () =>
    pdfOf([
      CATALOG,
      PAGES,
      page('4 0 R'),
      stream(folded(200_000_000, 2), '/Filter [/FlateDecode /FlateDecode]'),
    ]),
  'whose stream says it is longer than the file': () =>
    pdfOf([CATALOG, PAGES, page('4 0 R'), '<< /Length 4294967295 >>\nstream\nBT ET\nendstream']),
  'whose form draws itself': () =>
    pdfOf([
      CATALOG,
      PAGES,
      page('4 0 R'),
      stream(Buffer.from('/F Do')),
      stream(
        Buffer.from('/F Do /F Do'),
        '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 5 0 R >> >>',
      ),
    ]),
};
