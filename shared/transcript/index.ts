export { type TranscribedChunk, joinChunks, type Sentence, type Word } from './join-chunks.ts';
export { formatPosition, renderSrt, renderText, renderVtt } from './render.ts';
export { getSentences, getTranscriptText, getTranslation } from './transcript-text.ts';
