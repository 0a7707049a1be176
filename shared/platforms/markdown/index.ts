export { type TableFile, drawTables, settledLength } from './draw-tables.ts';
export {
  UTF8_BYTES,
  type TextLimit,
  inCharacters,
  inBytes,
  cutSanitized,
  type Range,
  split,
  ranges,
  closeOpenBlocks,
  opening,
  closing,
  cutAt,
  paragraphCut,
} from './split.ts';
export { type Block, START, afterLine, isCode, fenceAt } from './code.ts';
export { sanitize, sanitizeExcept, createSanitizer } from './sanitizer.ts';
export { type Table, tablesIn } from './tables.ts';
