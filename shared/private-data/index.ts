export { cutBeforePrivateData } from './cut-before.ts';
export { filterOf } from './filter-of.ts';
export type { PrivateDataFilter } from './find-private-data.ts';
export { maskAndCount, maskJson, maskPrompt, maskText, placeholdersOf, unmaskJson } from './mask-prompt.ts';
export { addMasked, Placeholders } from './placeholders.ts';
