export { type TranscribedChunk, joinChunks } from './join-chunks.ts';
export { formatPosition, renderSrt, renderText, renderVtt } from './render.ts';
export {
  getSentences,
  getTranscriptText,
  getTranslatedSentences,
  getTranslation,
} from './transcript-text.ts';
