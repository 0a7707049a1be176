export { type TranscribedPiece, joined, type Sentence, type Word } from './join.ts';
export { clock, srt, txt, vtt } from './render.ts';
