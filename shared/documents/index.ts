export {
  MAX_PDF_MEMORY_BYTES,
  noPdfReader,
  PDF_TIMEOUT_MS,
  type PdfReader,
  createPdfReader,
  type PdfReaderConfig,
  type PdfText,
} from './pdf-reader.ts';
export {
  truncate,
  MAX_CHARACTERS,
  type FileContent,
  readFileContent,
  type ReadPdf,
} from './read-file-content.ts';
export { decodeText } from './decode-text.ts';
export { getMediaHint } from './detect-type.ts';
