export {
  MAX_PDF_BYTES,
  PDF_TIMEOUT_MS,
  type PdfReader,
  pdfReader,
  type PdfReaderConfig,
  type PdfText,
  type PdfTime,
} from './pdf.ts';
export { cutAt, MAX_CHARACTERS, type FileRead, readFile, type ReadPdf } from './read.ts';
export { heard } from './detect-type.ts';
