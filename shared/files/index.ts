export { type PdfReader, pdfReader, type PdfReaderConfig, type PdfText } from './pdf.ts';
export { cutAt, MOST_CHARACTERS, type FileRead, readFile } from './read.ts';
export { heard } from './sniff.ts';
