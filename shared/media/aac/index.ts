export { AacError } from './bits.ts';
export { AacDecoder } from './decoder.ts';
