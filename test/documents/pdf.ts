/** Small handmade PDFs. */

type PdfChoices = {
  readonly locked?: boolean;
  readonly pages?: readonly string[];
  /** A font of this language: the words of the pages are codes of one of Adobe's CMaps, in hexadecimal digits. The PDF does not say what they mean. */
  readonly cMap?: { readonly name: string; readonly ordering: 'Japan1' | 'GB1' | 'CNS1' | 'Korea1' };
};

const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const createFont = ({ name, ordering }: NonNullable<PdfChoices['cMap']>): string => {
  const descriptor =
    '<< /Type /FontDescriptor /FontName /Some /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>';
  const system = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >>`;
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Some /CIDSystemInfo ${system} /DW 1000 /FontDescriptor ${descriptor} >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /Some-${name} /Encoding /${name} /DescendantFonts [${descendant}] >>`;
};

/** A PDF with one line of text per page. `locked` requires an unknown password. */
export function pdf({ locked = false, pages = ['Hello from a PDF'], cMap }: PdfChoices = {}): Buffer {
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    cMap ? createFont(cMap) : HELVETICA,
    ...pages.flatMap((words, i) => {
      const operand = cMap ? `<${words}>` : `(${words})`;
      const content = words === '' ? '' : `BT /F1 12 Tf 72 700 Td ${operand} Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = text.length;
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const key = '00112233445566778899aabbccddeeff'.repeat(2);
  const lock = locked
    ? `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>]`
    : '';
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer << /Size ${objects.length + 1} /Root 1 0 R ${lock} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
