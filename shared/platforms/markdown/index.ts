export { drawHeadings } from './draw-headings.ts';
export { type TableFile, drawTables, getSettledLength } from './draw-tables.ts';
export {
  UTF8_BYTES,
  type TextLimit,
  inCharacters,
  inBytes,
  cutSanitized,
  type Range,
  split,
  splitIntoRanges,
  closeOpenBlocks,
  getOpening,
  getClosing,
  findCut,
  findParagraphCut,
} from './split.ts';
export { type Block, type Fence, START, advanceLine, isCode, findFenceAt } from './code.ts';
export { readDestination } from './links.ts';
export { sanitizePlainText } from './plain-text.ts';
export { sanitize, sanitizeExcept, createSanitizer } from './sanitizer.ts';
export { type Table, tablesIn } from './tables.ts';
