export { cutBeforePrivateData } from './cut-before.ts';
export { getFilter } from './private-data-filter.ts';
export type { PrivateDataFilter } from './find-private-data.ts';
export { maskAndCount, maskJson, maskPrompt, maskText, getPlaceholders, unmaskJson } from './mask-prompt.ts';
export { addMasked, Placeholders } from './placeholders.ts';
