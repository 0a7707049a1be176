export type { PrivacyContext } from './context.ts';
export { erase, forgetOlder, sendErasure, sendThreadErasure } from './erase.ts';
export { nextExportTime, runExport, sendExport } from './export.ts';
export { type FillContext, fillPersonIndex } from './fill-person-index.ts';
