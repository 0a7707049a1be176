export { type PdfReader, pdfReader, type PdfText } from './pdf.ts';
export { cutAt, MOST_CHARACTERS, type FileRead, readFile } from './read.ts';
export { heard } from './sniff.ts';
