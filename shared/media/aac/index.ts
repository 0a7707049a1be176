export { AacError } from './bit-reader.ts';
export { AacDecoder } from './decoder.ts';
