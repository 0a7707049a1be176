export { AacDecoder } from './decoder.ts';
